import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { explain } from '../../../src/core/codes/explain.ts';
import { COMMANDS } from '../../../src/interfaces/cli/commands.ts';
import { runWhole } from '../../helpers/whole-program.ts';
import { errorSchema } from './documents.ts';
import { commandDeps } from './run-command.ts';

/** A folder without settings, because these commands must not read settings. */
const cwd = import.meta.dirname;

const explanationSchema = z.strictObject({
  code: z.string(),
  kind: z.string(),
  means: z.string(),
  next: z.string(),
  costs: z.string().nullable(),
  document: z.string(),
});
const documentSchema = explanationSchema.extend({ also: z.array(explanationSchema) });

describe('donor-sync help', () => {
  it('explains the reason of an outcome: what it means, what is next and what it costs', async () => {
    const { exitCode, stdout, stderr } = await runWhole(['help', 'no_match'], { cwd });
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toContain('no_match: a reason of the outcome `failed`');
    expect(stdout).toContain('  Means:  The service found no match.');
    expect(stdout).toContain('  Next:   Complete the address or the employer');
    expect(stdout).toContain('  Costs:  One credit, which the service does not refund');
    expect(stdout).toContain('  More:   docs/outcomes.md#failed');
  });

  it('explains an error code, without costs if no credits are concerned', async () => {
    const { stdout } = await runWhole(['help', 'database_in_use'], { cwd });
    expect(stdout).toContain('database_in_use: an error code');
    expect(stdout).toContain('Nothing was changed.');
    expect(stdout).toContain('  More:   docs/guides/operating.md#what-is-stored-and-backups');
    expect(stdout).not.toContain('Costs:');
  });

  it('explains an outcome by its reasons', async () => {
    const { stdout } = await runWhole(['help', 'held'], { cwd });
    expect(stdout).toContain('An outcome for a contact: you have to decide');
    expect(stdout).toContain('name_mismatch');
  });

  it('explains every meaning of a word that has several', async () => {
    const { stdout } = await runWhole(['help', 'match_rate_low'], { cwd });
    expect(stdout).toContain('match_rate_low: a reason of the outcome `waiting`');
    expect(stdout).toContain('match_rate_low: an error code');
  });

  it('prints one document for scripts', async () => {
    const { stdout } = await runWhole(['help', 'no_profile', '--json'], { cwd });
    const document = documentSchema.parse(JSON.parse(stdout));
    expect(document).toMatchObject({ code: 'no_profile', kind: 'waiting_values' });
    expect(document.also.map(({ kind }) => kind)).toEqual(['excluded_values']);
    expect([document, ...document.also]).toMatchObject(explain('no_profile'));
    const ofError = await runWhole(['help', 'usage', '--json'], { cwd });
    expect(documentSchema.parse(JSON.parse(ofError.stdout))).toMatchObject({
      code: 'usage',
      kind: 'error',
      costs: null,
      also: [],
    });
  });

  it('breaks long lines at a terminal and nowhere else', async () => {
    const lines = async (isTTY: boolean) =>
      (await runWhole(['help', 'crm_refused'], { cwd, isTTY })).stdout.split('\n');
    expect((await lines(false)).some((line) => line.length > 200)).toBe(true);
    expect((await lines(true)).every((line) => line.length <= 210)).toBe(true);
    expect((await lines(true)).length).toBeGreaterThan((await lines(false)).length);
  });

  it.each([
    [['help', 'stop'], 'Usage: donor-sync stop'],
    [['help', 'holds', 'approve'], 'Usage: donor-sync holds approve'],
    [['help', 'people'], 'Usage: donor-sync users'],
    [['help'], 'Usage: donor-sync [options]'],
  ])('still shows the help of a command: %s', async (argv, usage) => {
    const { exitCode, stdout } = await runWhole(argv, { cwd });
    expect(exitCode).toBe(0);
    expect(stdout).toContain(usage);
    expect(stdout).toMatch(/Examples?:/);
  });

  it('offers what an unknown word can mean', async () => {
    const ofCode = await runWhole(['help', 'no_mach'], { cwd });
    expect(ofCode.exitCode).toBe(2);
    expect(ofCode.stderr).toContain('did you mean "no_match"?');
    const ofCommand = await runWhole(['help', 'sycn'], { cwd });
    expect(ofCommand.stderr).toContain('did you mean "sync"?');
    const { stdout } = await runWhole(['help', 'xyzzyplugh', '--json'], { cwd });
    expect(errorSchema.parse(JSON.parse(stdout)).error.code).toBe('code_unknown');
  });
});

describe('a topic without a command', () => {
  it('never ends the process, and accepts --json', async () => {
    const deps = { ...commandDeps({ cwd }), timezone: () => 'UTC' };
    const commands = await Promise.all(COMMANDS.map(({ load }) => load(deps)));
    const topics = commands
      .filter((command) => command.commands.length > 0)
      .map((command) => command.name());
    expect(topics).toContain('hubspot');
    for (const topic of topics) {
      expect(await runWhole([topic], { cwd }), topic).toMatchObject({ exitCode: 2 });
      const { exitCode, stderr } = await runWhole([topic, '--json'], { cwd });
      expect({ topic, exitCode }).toEqual({ topic, exitCode: 2 });
      expect(stderr).not.toContain('unknown option');
    }
  });
});

describe('--help', () => {
  it('of every command leaves room for descriptions in 80 columns, so that they wrap', async () => {
    const deps = { ...commandDeps({ cwd }), timezone: () => 'UTC' };
    const commands = await Promise.all(COMMANDS.map(({ load }) => load(deps)));
    const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)];
    const tooWide = commands.flatMap(all).filter((command) => {
      const help = command.createHelp();
      // Commander wraps descriptions only if they have 40 or more columns next to the terms and four spaces.
      return help.padWidth(command, help) > 80 - 40 - 4;
    });
    expect(tooWide.map((command) => command.name())).toEqual([]);
  });
});
