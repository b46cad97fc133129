/**
 * Checks that each command that shows people's names adds an audit entry. The entry contains the user, and the kind
 * and number of names, but not the names.
 */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type CliWorld, openCliWorld } from '../../helpers/cli.ts';
import { closedAfterTest } from '../../helpers/closed-after-test.ts';
import { runWhole } from '../../helpers/whole-program.ts';
import { otherNames, STRANGER } from './other-names.ts';
import { readShownHolds } from './shown-names.ts';

const CLI = join(import.meta.dirname, '../../../src/interfaces/cli');
const open = closedAfterTest(openCliWorld);

const entriesSchema = z.object({
  entries: z.array(
    z.object({
      who: z.object({ kind: z.string(), name: z.string() }),
      integration: z.string().nullable(),
      contact: z.string().nullable(),
      details: z.record(z.string(), z.unknown()),
    }),
  ),
});

async function shownBy(world: CliWorld, command: string) {
  const args = ['audit', '--action', 'names.shown'];
  const { entries } = await world.runJson(args, entriesSchema);
  return entries.filter(({ details }) => details['command'] === command);
}

/** Runs a command at a terminal. */
async function onTerminal({ path, service }: CliWorld, ...args: string[]): Promise<string> {
  const env = { PARTNER_API_KEY: service.apiKey, NO_COLOR: '1' };
  const { stdout } = await runWhole(args, { cwd: dirname(path('x')), env, isTTY: true });
  return stdout;
}

describe('in a world with a board', () => {
  let world: CliWorld;
  beforeAll(async () => {
    world = await openCliWorld({
      people: 90,
      service: { donors: 90, networkJobTimeMs: 0 },
      settings: '    networks: [{ name: Board, group: { column: Board, equals: "yes" } }]\n',
    });
    const rows = await world.rows();
    await world.saveRows(rows.map((row, at) => ({ ...row, Board: at < 20 ? 'yes' : 'no' })));
    await world.run(['sync']);
  });
  afterAll(() => world.close());

  it('paths counts the contact and each who knows it, once', async () => {
    const contact = (await world.rows()).find((row) => row['Warm Path'])?.['Id'] ?? '';
    const { stdout } = await world.run(['paths', contact]);
    const people = /^(\d+) (?:person|people) in the networks/m.exec(stdout)?.[1];
    expect(Number(people)).toBeGreaterThan(0);
    const [entry, ...others] = await shownBy(world, 'paths');
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ who: { kind: 'command' }, integration: 'riverside', contact });
    expect(entry?.details).toEqual({ command: 'paths', names: Number(people) + 1 });
  });

  it('prospects counts the people that it lists', async () => {
    const { stdout } = await world.run(['prospects']);
    const prospects = stdout.trimEnd().split('\n').slice(1);
    expect(prospects.length).toBeGreaterThan(0);
    expect((await shownBy(world, 'prospects')).map(({ details }) => details)).toEqual([
      { command: 'prospects', names: prospects.length },
    ]);
  });
});

it('plan counts the persons on a terminal, and says nothing where it shows none', async () => {
  const world = await open({ people: 60 });
  await world.run(['plan']);
  await world.run(['plan', '--json']);
  expect(await shownBy(world, 'plan')).toEqual([]);
  expect(await onTerminal(world, 'plan')).toContain('5 people as sent to the service:');
  expect((await shownBy(world, 'plan')).map(({ details }) => details)).toEqual([
    { command: 'plan', names: 5 },
  ]);
});

it('holds --show counts both names of each, and says nothing where there are none', async () => {
  const other = otherNames();
  const world = await open(other.options);
  await world.run(['holds', '--show']);
  expect(await shownBy(world, 'holds')).toEqual([]);
  await other.come(world);
  const holds = await readShownHolds(world);
  const names = holds.flatMap((hold) => [hold.names.contact, hold.names.profile]);
  const [entry] = await shownBy(world, 'holds');
  expect(names.filter(Boolean)).toHaveLength(24);
  expect(entry?.details).toEqual({ command: 'holds', names: 24 });
  expect(JSON.stringify(entry)).not.toContain(STRANGER);
  await world.run(['holds']);
  expect(await shownBy(world, 'holds')).toHaveLength(1);
});

it.each([
  ['paths', 'C000001'],
  ['prospects'],
  ['holds', 'names'],
  ['holds', '--show'],
  ['contacts', 'show', 'C000001'],
  ['contacts', 'search', 'Ann'],
])('%s %s refuses --json, reads nothing and records nothing', async (...args) => {
  const world = await open({ people: 1 });
  const { exitCode, stdout } = await world.run([...args, '--json']);
  expect(exitCode).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({
    error: {
      message: expect.stringContaining('JSON output in the terminal must not contain names'),
    },
  });
  const { entries } = await world.runJson(['audit', '--action', 'names.shown'], entriesSchema);
  expect(entries).toEqual([]);
});

it('no command writes such an entry by itself', () => {
  const files = globSync('**/*.ts', { cwd: CLI }).filter((file) =>
    readFileSync(join(CLI, file), 'utf8').includes("'names.shown'"),
  );
  expect(files).toEqual(['action/names-shown.ts']);
});
