/* Two processes send a token to and fro over two pipes, LOOPS times: what
   anybody writes who wants to know the cost of a context switch. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int loops = argc > 1 ? atoi(argv[1]) : 100000;
	int there[2], back[2], token = 0, i;

	if (pipe(there) || pipe(back))
		return 1;
	switch (fork()) {
	case -1:
		return 1;
	case 0:
		for (i = 0; i < loops; i++)
			if (read(there[0], &token, sizeof token) != sizeof token ||
			    write(back[1], &token, sizeof token) != sizeof token)
				return 1;
		return 0;
	}
	for (i = 0; i < loops; i++)
		if (write(there[1], &token, sizeof token) != sizeof token ||
		    read(back[0], &token, sizeof token) != sizeof token)
			return 1;
	return wait(NULL) < 0;
}
