/** Runs donor-sync, from its arguments to its exit code. */
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
      // Help and version do not need these dependencies.
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

/** Shows an uncaught error in one sentence and ends the process, because the process cannot safely continue. */
function endWith(error: unknown): void {
  const isJson = argv.includes('--json');
  process.exit(createOutput({ stdout, stderr, env, isJson }).fail(error));
}

/**
 * Ignores the error that occurs if the reader of donor-sync's output, such as `head`, has ended. Because of this error,
 * work must not be left unfinished. The command still ends with its usual exit code.
 */
function goOnUnheard(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
