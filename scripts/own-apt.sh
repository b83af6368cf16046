# Sourced by what fetches packages of Debian to unpack them: apt with a state of its
# own, so that the machine's packages, its list of architectures and its sources stay
# as they are.

# own_apt STATE ARCH... makes apt work below the directory STATE, for these
# architectures, and reads their package lists. $STATE/cache is for what is fetched.
own_apt() {
	own_state=$1
	shift
	mkdir -p "$own_state/lists/partial" "$own_state/cache/archives/partial" "$own_state/preferences.d"
	: >"$own_state/status"
	cat >"$own_state/apt.conf" <<CONF
Dir::State "$own_state";
Dir::State::Lists "$own_state/lists";
Dir::State::status "$own_state/status";
Dir::Cache "$own_state/cache";
APT::Architecture "$1";
APT::Architectures { $(printf '"%s"; ' "$@")};
APT::Install-Recommends "false";
APT::Get::List-Cleanup "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
	export APT_CONFIG="$own_state/apt.conf"
	echo "reading the package lists of $*"
	apt-get update -qq
}
