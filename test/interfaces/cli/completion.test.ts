import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createManual } from '../../../src/interfaces/cli/commands/completion/manual.ts';
import {
  describeProgram,
  listShapes,
} from '../../../src/interfaces/cli/commands/completion/shape.ts';
import { COMMANDS, loadCommands } from '../../../src/interfaces/cli/commands.ts';
import { createProgram } from '../../../src/interfaces/cli/program.ts';
import { runWhole } from '../../helpers/whole-program.ts';
import { commandDeps } from './run-command.ts';

const run = promisify(execFile);

/** A folder without settings, because these commands must not read settings. */
const cwd = import.meta.dirname;

async function printCompletion(shell: string): Promise<string> {
  const { exitCode, stdout, stderr } = await runWhole(['completion', shell], { cwd });
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  return stdout;
}

async function loadShape() {
  const deps = { ...commandDeps({ cwd }), timezone: () => 'UTC' };
  const program = await createProgram({ ...deps, loadDeps: async () => deps }, '0.0.0', []);
  return describeProgram(program, await loadCommands(deps));
}

function isInstalled(program: string): boolean {
  return spawnSync(program, ['--version']).error === undefined;
}

describe('donor-sync completion', () => {
  let folder: string;
  let script: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'completion-'));
    script = join(folder, 'donor-sync.bash');
    await writeFile(script, await printCompletion('bash'));
  });

  afterAll(() => rm(folder, { recursive: true }));

  /** Returns the completions that bash offers for the last word. */
  async function complete(...words: string[]): Promise<string[]> {
    const typed = [...words].map((word) => `'${word}'`).join(' ');
    const { stdout, stderr } = await run('bash', [
      '--norc',
      '-c',
      `source '${script}'; COMP_WORDS=(donor-sync ${typed}); COMP_CWORD=${words.length}; _donor_sync; printf '%s\n' "\${COMPREPLY[@]}"`,
    ]);
    expect(stderr).toBe('');
    return stdout.split('\n').filter((word) => word !== '');
  }

  it('offers every command in bash, and those that begin as typed', async () => {
    expect(await complete('')).toEqual(COMMANDS.map(({ name }) => name));
    expect(await complete('co')).toEqual(['connect', 'contacts', 'connector', 'completion']);
  });

  it('offers the commands of a command, also under its other name', async () => {
    const ofUsers = await complete('users', '');
    expect(ofUsers).toEqual(expect.arrayContaining(['invite', 'list', 'remove']));
    expect(await complete('people', '')).toEqual(ofUsers);
    expect(await complete('users', 'inv')).toEqual(['invite']);
  });

  it('offers the options of a command, and those of the program', async () => {
    expect(await complete('sync', '--a')).toEqual(
      expect.arrayContaining(['--accept-marks', '--adopt']),
    );
    expect(await complete('users', 'invite', '--')).toEqual(
      expect.arrayContaining(['--email', '--role', '--config', '--json', '--help']),
    );
    expect(await complete('--v')).toEqual(['--version']);
    expect(await complete('sync', '--v')).toEqual([]);
  });

  it('offers the values of options and arguments that have choices', async () => {
    expect(await complete('sandbox', 'salesforce', '--shape', '')).toEqual([
      ...['npsp', 'plain', 'personAccounts'],
    ]);
    expect(await complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
    expect(await complete('help', 'cred')).toEqual(['credits']);
  });

  it('leaves the value of any other option to bash, and takes no value for a command', async () => {
    expect(await complete('sync', '--config', '')).toEqual([]);
    expect(await complete('--config', 'users', 'tok')).toEqual(['tokens']);
    expect(await complete('--config', 'users', 'inv')).toEqual([]);
  });

  it.each(['zsh', 'fish'])('has every command and option for %s, in its syntax', async (shell) => {
    const text = await printCompletion(shell);
    for (const { place, options } of listShapes(await loadShape())) {
      expect(text).toContain(shell === 'zsh' ? `('${place}')` : `__donor_sync_at \\'${place}\\'`);
      for (const { names } of options) {
        for (const name of names) {
          const written = name.startsWith('--') ? `-l ${name.slice(2)} ` : `-s ${name.slice(1)} `;
          expect(text).toContain(shell === 'zsh' ? `'${name}:` : written);
        }
      }
    }
    expect(text).toContain(shell === 'zsh' ? "'sandbox salesforce --shape'" : '-x -a');
    if (!isInstalled(shell)) return;
    const file = join(folder, shell);
    await writeFile(file, text);
    await run(shell, ['-n', file]);
  });

  it('prints one document for scripts, and refuses another shell', async () => {
    const { stdout } = await runWhole(['completion', 'zsh', '--json'], { cwd });
    expect(JSON.parse(stdout)).toEqual({ shell: 'zsh', script: await printCompletion('zsh') });
    const refused = await runWhole(['completion', 'tcsh'], { cwd });
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain('Allowed choices are bash, zsh, fish.');
  });
});

describe('the manual page', () => {
  it('has every command, with its own options', async () => {
    const shape = await loadShape();
    const manual = createManual(shape, '1.2.3');
    const [head] = manual.split('\n');
    expect(head).toBe('.TH DONOR\\-SYNC 1 "" "donor\\-sync 1.2.3" "donor\\-sync"');
    const sections = [...manual.matchAll(/^\.SS donor\\-sync ([^<[\n]*)/gm)];
    const [, ...commands] = listShapes(shape);
    expect(sections.map(([, place = '']) => place.trim().replaceAll('\\', ''))).toEqual(
      commands.map(({ place }) => place),
    );
    expect(manual).toContain('.B \\-\\-accept\\-marks');
    // The manual lists each of the program's options once. roff does not mistake any text for an instruction.
    expect(manual.match(/^\.B \\-\\-json$/gm)).toHaveLength(1);
    expect(manual.match(/^['.](?!TH |SH |SS |TP$|PP$|B )/gm)).toBeNull();
  });

  it('is read by groff without a complaint, where that is installed', async () => {
    const manual = createManual(await loadShape(), '1.2.3');
    expect(manual).toContain('.SH EXIT STATUS');
    if (!isInstalled('groff')) return;
    const { stdout, stderr, status } = spawnSync('groff', ['-man', '-ww', '-z'], {
      input: manual,
      encoding: 'utf8',
    });
    expect({ stdout, stderr, status }).toEqual({ stdout: '', stderr: '', status: 0 });
  });
});
