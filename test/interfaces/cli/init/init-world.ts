import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { createCommand, runProgram } from '../../../../src/interfaces/cli/action/command.ts';
import { addCommand } from '../../../../src/interfaces/cli/commands/init/add.ts';
import { initCommand } from '../../../../src/interfaces/cli/commands/init/init.ts';
import { loadSettings, type Settings } from '../../../../src/settings/settings.ts';
import { findAConnector } from '../../../settings/a-connector.ts';
import { aStream } from '../a-terminal.ts';

/** A folder in which `init` and `add` run. */
export interface InitWorld {
  path(name: string): string;
  read(name: string): Promise<string>;
  write(name: string, content: string): Promise<void>;
  /** Starts a command. At a terminal, a test can answer its questions. */
  start(
    argv: readonly string[],
    options?: StartOptions,
  ): {
    stdin: ReturnType<typeof aStream>;
    stderr: ReturnType<typeof aStream>;
    ended: Promise<{ exitCode: number | null; stdout: string; stderr: string }>;
  };
  load(env?: Record<string, string>): Promise<Settings>;
}

interface StartOptions {
  isTTY?: boolean;
  env?: Record<string, string>;
  /** The text that is piped to stdin. */
  input?: string;
}

export async function openInitWorld(): Promise<InitWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-init-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = (name: string) => join(folder, name);
  return {
    path,
    read: (name) => readFile(path(name), 'utf8'),
    write: (name, content) => writeFile(path(name), content),
    start(argv, { isTTY = false, env = {}, input } = {}) {
      const stdin = aStream({ isTTY });
      const stdout = aStream({ isTTY: false });
      const stderr = aStream({ isTTY });
      let exitCode: number | null = null;
      const deps = {
        ...{
          stdin: input === undefined ? stdin : Readable.from([input]),
          stdout,
          stderr,
          env,
          cwd: folder,
          timezone: () => 'America/Chicago',
        },
        findConnectorDefinition: findAConnector,
        setExitCode(code: number) {
          exitCode = code;
        },
      };
      const program = createCommand('donor-sync', deps)
        .addCommand(initCommand(deps))
        .addCommand(addCommand(deps));
      const ended = runProgram(program, deps, argv).then(() => ({
        exitCode,
        stdout: stdout.written(),
        stderr: stderr.written(),
      }));
      return { stdin, stderr, ended };
    },
    load: (env = {}) =>
      loadSettings({
        ...{
          path: path('donor-sync.yaml'),
          env,
          cwd: '/',
          findConnectorDefinition: findAConnector,
        },
      }),
  };
}
