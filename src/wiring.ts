/** Assembles and runs the program, from its arguments to its exit code. */
import packageFile from '../package.json' with { type: 'json' };
import { runProgram } from './interfaces/cli/action/command.ts';
import { createProgram, type ProgramDeps } from './interfaces/cli/program.ts';
import { createOutput } from './interfaces/cli/terminal/output.ts';

const { env, stdout, stderr } = process;
const argv = process.argv.slice(2);

/** Runs the command that the user typed. */
export async function runWired(): Promise<void> {
  process.on('uncaughtException', (error) => endWith(error));
  stdout.on('error', goOnUnheard);
  stderr.on('error', goOnUnheard);
  try {
    const deps: ProgramDeps = {
      stdout,
      stderr,
      env,
      setExitCode,
      // The options for help and version do not need these dependencies.
      loadDeps: async () => (await import('./wired-deps.ts')).createDeps({ setExitCode }),
    };
    await runProgram(await createProgram(deps, packageFile.version, argv), deps, argv);
  } catch (error) {
    endWith(error);
  }
}

function setExitCode(code: number): void {
  process.exitCode = code;
}

/** Shows an uncaught error in one sentence and ends the process, which cannot safely continue. */
function endWith(error: unknown): void {
  const isJson = argv.includes('--json');
  process.exit(createOutput({ stdout, stderr, env, isJson }).fail(error));
}

/**
 * Ignores the error that occurs if the reader of our output, such as `head`, has exited. This is not an error, and work
 * must not be left unfinished because of it. The command still finishes with its usual exit code.
 */
function goOnUnheard(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
