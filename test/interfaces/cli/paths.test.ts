import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { PartnerSandboxOptions } from '../../../sandbox/partner/index.ts';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';

/** All tests use one project, because the tests write no data. */
let world: CliWorld;
beforeAll(async () => {
  world = await openBoardWorld();
});
afterAll(() => world.close());

/** Creates and syncs contacts. The first twenty contacts are on the board. */
async function openBoardWorld(service: PartnerSandboxOptions = {}): Promise<CliWorld> {
  const opened = await openCliWorld({
    people: 90,
    service: { donors: 90, networkJobTimeMs: 0, ...service },
    settings: '    networks: [{ name: Board, group: { column: Board, equals: "yes" } }]\n',
  });
  const rows = await opened.rows();
  await opened.saveRows(rows.map((row, index) => ({ ...row, Board: index < 20 ? 'yes' : 'no' })));
  const { exitCode, stderr } = await opened.run(['sync']);
  if (exitCode !== 0) throw new Error(stderr);
  return opened;
}

/** Returns the contact whose path names several people. */
async function wellKnown() {
  const rows = await world.rows();
  const row = rows.find((each) => /people in your networks/.test(each['Warm Path'] ?? ''));
  if (!row) throw new Error('no contact is known by several people');
  return row;
}

/** Parses the output of `paths`, whose columns are separated by two or more spaces. */
function readTable(stdout: string) {
  const lines = stdout.trimEnd().split('\n');
  const at = lines.findIndex((line) => /^ *Strength +Who/.test(line));
  return lines.slice(at + 1).map((line) => {
    const [strength = '', who = '', network = '', how = ''] = line.trim().split(/ {2,}/);
    return { strength, who, network, how };
  });
}

describe('donor-sync paths', () => {
  it('shows everybody who knows a contact, the path in the CRM first', async () => {
    const row = await wellKnown();
    const { stdout } = await world.run(['paths', row['Id'] ?? '']);
    expect(stdout).toContain(`people in the networks know ${row['First']} ${row['Last']}:`);
    const [best, ...others] = readTable(stdout);
    expect(others.length).toBeGreaterThan(0);
    expect(row['Warm Path']).toContain(best?.how);
    expect(best?.who).toBe(row['Warm Path Introducer']);
    const strengths = [best, ...others].map((each) => Number.parseInt(each?.strength ?? '', 10));
    expect(Math.min(...strengths)).toBeGreaterThanOrEqual(45);
    expect(Math.max(...strengths)).toBeLessThanOrEqual(100);
    for (const { how } of others) expect(how).toMatch(/\w/);
  });

  it('says what a contact is a member of', async () => {
    const rows = await world.rows();
    const member = rows.find((row) => row['Board'] === 'yes' && row['Donor ID']);
    const { stdout } = await world.run(['paths', member?.['Id'] ?? '']);
    expect(stdout).toContain(`${member?.['First']} ${member?.['Last']} is in Board.`);
  });

  it('knows no contact that is not there', async () => {
    const { exitCode, stderr } = await world.run(['paths', 'unknown']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('There is no contact "unknown" in the database of "riverside"');
  });
});

describe('one of several integrations', () => {
  it.each([
    [['prospects'], 'riverside, hillside after the command', ['prospects', 'hillside']],
    [
      ['paths', 'C1'],
      'riverside, hillside with --integration',
      ['paths', 'C1', '--integration', 'hillside'],
    ],
  ])('is named as %j takes it, and the advice is taken', async (args, advice, advised) => {
    const several = await openCliWorld({ integrations: ['riverside', 'hillside'], people: 1 });
    onTestFinished(() => several.close());
    const unclear = await several.run(args);
    expect(unclear).toMatchObject({ exitCode: 2, stderr: expect.stringContaining(advice) });
    const { stderr } = await several.run(advised);
    expect(stderr).toContain('"hillside" does not have any members in a network yet');
  });
});

describe('donor-sync prospects', () => {
  it('lists people who are not in the CRM, the best known first', async () => {
    const file = await world.run(['prospects', '--csv']);
    const prospects: Record<string, string>[] = parse(file.stdout, { columns: true });
    expect(prospects.length).toBeGreaterThan(0);
    const known = new Set((await world.rows()).map((row) => row['Donor ID']));
    expect(prospects.filter((one) => known.has(one['Donor ID']))).toEqual([]);
    const strengths = prospects.map((one) => Number(one['Strength']));
    expect(strengths).toEqual(strengths.toSorted((a, b) => b - a));
    expect(strengths.filter((one) => !(one >= 0.45 && one <= 1))).toEqual([]);

    const { stdout } = await world.run(['prospects', '--limit', '1']);
    expect(stdout.trimEnd().split('\n')).toHaveLength(2);
    expect(stdout).toContain(prospects[0]?.['Name']);
  });

  it('prints a file for a spreadsheet', async () => {
    const { stdout, exitCode } = await world.run([
      'prospects',
      'riverside',
      '--csv',
      '--limit',
      '3',
    ]);
    expect(exitCode).toBe(0);
    const [header, ...lines] = stdout.trimEnd().split('\n');
    expect(header).toBe('Donor ID,Name,Strength,Known To,Introducer,Network,Via,Warm Path,Profile');
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThanOrEqual(3);
  });

  it.each([
    [['--csv', '--json'], 'Use --csv or --json'],
    [['--json'], 'JSON output in the terminal must not contain names'],
    [['--min-strength', '0.2'], 'from 0.45 to 1'],
    [['hillside'], 'There is no client "hillside"'],
  ])('refuses %j', async (args, words) => {
    const { exitCode, stderr, stdout } = await world.run(['prospects', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr + stdout).toContain(words);
  });

  it('finds none of a strength that no connection has, and says so', async () => {
    const { stdout } = await world.run(['prospects', '--min-strength', '1']);
    expect(stdout).toContain(
      'have no connections of at least this strength to people outside the CRM',
    );
  });
});

describe('without anybody in a network', () => {
  it('says how to get there', async () => {
    const empty = await openCliWorld({ people: 1 });
    try {
      for (const args of [['prospects'], ['paths', 'C000001']]) {
        const { exitCode, stderr } = await empty.run(args);
        expect(exitCode).toBe(2);
        expect(stderr).toContain('does not have any members in a network yet');
      }
    } finally {
      await empty.close();
    }
  });
});

it('gets the cost of the queries of a run from `runs RUN`', async () => {
  const charged = await openBoardWorld({ chargeQueries: true });
  try {
    const listed = await charged.runJson(['runs'], runIdsSchema);
    const id = listed.runs[0]?.id ?? '';
    const { runs } = await charged.runJson(['runs', id], costsSchema);
    expect(runs).toEqual([{ queries: { bucket: 'searches', credits: 1 } }]);
    const { stdout } = await charged.run(['runs', id]);
    expect(stdout).toContain('The queries for warm paths cost 1 credit of the bucket "searches"');
  } finally {
    await charged.close();
  }
});

const runIdsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

const costsSchema = z.object({
  runs: z.array(z.object({ queries: z.object({ bucket: z.string(), credits: z.int() }) })),
});
