import { describe, expect, it } from 'vitest';
import { csvConnector } from '../../../../connectors/csv/connector.ts';
import { KEYS } from '../a-terminal.ts';
import { type InitWorld, openInitWorld } from './init-world.ts';

const INIT = [
  ...['init', '--crm', 'csv', '--csv-path', 'people.csv', '--name', 'West'],
  ...['--csv-id', 'Id', '--csv-first-name', 'First', '--csv-last-name', 'Last'],
  ...['--csv-addresses', 'City', '--csv-employers', 'Work', '--csv-opt-out', 'none'],
  ...['--csv-deceased', 'none', '--csv-do-not-contact', 'none', '--csv-output', 'out.csv'],
  ...[
    '--partner-url',
    'https://p.example',
    '--budget-per-run',
    'none',
    '--budget-per-month',
    'none',
  ],
  ...['--schedule', 'none', '--config', 'donor-sync.yaml'],
];

const SET = { PARTNER_BASE_URL: 'https://p.example', PARTNER_API_KEY: 'key' };

/** Two of four rows cannot be read. One has no ID, and the other repeats an earlier row's ID. */
const PEOPLE = `Id,First,Last,City,Work
1,Ann,Lee,Rome,Acme
,Bob,Lee,Rome,Acme
1,Cyd,Lee,Rome,Acme
4,Dan,Lee,Rome,Acme
`;

const QUESTION = 'Skip these rows, and continue with the other rows?';

describe('rows that init cannot read', () => {
  it.each([
    ['are left out by the settings if the answer is yes', 'y', 'skip'],
    ['stop every sync until they are corrected if it is no', 'n', 'stop'],
  ])('%s', async (_, answer, badRows) => {
    const world = await openInitWorld();
    await world.write('people.csv', PEOPLE);
    const { stdout, stderr } = await answered(world, INIT, answer);
    expect(stderr).toContain('2 rows');
    expect(stderr.includes('No sync starts until they are corrected')).toBe(badRows === 'stop');
    expect(stdout).toContain('donor-sync doctor');
    expect(await badRowsIn(world)).toBe(badRows);
  });

  it('are asked about by add as well', async () => {
    const world = await openInitWorld();
    await world.write('people.csv', PEOPLE);
    await answered(world, INIT, 'y');
    const add = ['add', ...INIT.slice(1).map((word) => (word === 'West' ? 'East' : word))];
    const output = add.map((word) => (word === 'out.csv' ? 'out-east.csv' : word));
    await answered(world, output, 'y', SAME_KEY);
    const { integrations } = await world.load(SET);
    expect(integrations.map(({ crm }) => crm)).toMatchObject([
      { badRows: 'skip' },
      { badRows: 'skip' },
    ]);
  });

  it.each([
    [['--csv-bad-rows', 'skip'], 'skip'],
    [[], 'stop'],
  ])('are not asked about in a script (%j)', async (more, badRows) => {
    const world = await openInitWorld();
    await world.write('people.csv', PEOPLE);
    const { stderr } = await world.start([...INIT, '--yes', ...more]).ended;
    expect(stderr).not.toContain(QUESTION);
    expect(await badRowsIn(world)).toBe(badRows);
  });
});

/** Returns the settings' value for the handling of bad rows. */
async function badRowsIn(world: InitWorld): Promise<string> {
  const [integration] = (await world.load(SET)).integrations;
  return csvConnector.settingsSchema.parse(integration?.crm).badRows;
}

const KEY = 'What is the service key';
const SAME_KEY = 'Does it use the same service key';

/** Accepts the proposals up to the question about the key, and answers the question about bad rows. */
async function answered(
  world: InitWorld,
  argv: readonly string[],
  answer: string,
  keyQuestion = KEY,
) {
  const { stdin, stderr, ended } = world.start(argv, { isTTY: true });
  const answers: [question: string, key: string][] = [
    [keyQuestion, KEYS.enter],
    [QUESTION, answer],
  ];
  // If bad rows stop every sync, no people from the file are shown.
  if (answer === 'y') answers.push(['Are these the right columns?', 'y']);
  for (const [question, key] of answers) {
    await expect.poll(() => stderr.written()).toContain(question);
    stdin.write(key);
  }
  return ended;
}
