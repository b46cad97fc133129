/** Checks that a mistake in the set-up of a client gets the same message in the terminal and on the page. */
import { expect, it } from 'vitest';
import { COLUMNS, openLocal, PEOPLE, post, withFile } from './api/setup-world.ts';
import { openInitWorld } from './cli/init/init-world.ts';

const CSV = ['--crm', 'csv', '--csv-path', 'donors.csv'];
const SALESFORCE = ['--crm', 'salesforce', '--crm-url'];
const LONG = 'x'.repeat(121);

/** Each mistake has the text typed in the terminal, the data that the page sends, and the message that both show. */
const MISTAKES: readonly [
  words: string,
  options: readonly string[],
  path: string,
  fields: Readonly<Record<string, string>>,
][] = [
  ['at most 120 characters', [...CSV, '--name', LONG], '', { name: LONG }],
  [
    'expected a URL that starts with https://',
    [...CSV, '--partner-url', 'a.example'],
    '/key',
    { baseUrl: 'a.example', apiKey: 'pk' },
  ],
  [
    'client credentials need your My Domain, https://….my.salesforce.com, which Setup → My Domain shows',
    [...SALESFORCE, 'https://login.salesforce.com'],
    '/crm',
    { kind: 'salesforce', way: 'clientCredentials', clientId: 'a', clientSecret: 'b' },
  ],
  [
    '"First Name" is the column of the first name',
    [...CSV, '--csv-first-name', 'First Name', '--csv-last-name', 'First Name'],
    '/people',
    { ...COLUMNS, lastName: 'First Name' },
  ],
  [
    'Possible: stop, skip',
    [...CSV, '--csv-bad-rows', 'keep'],
    '/people',
    { ...COLUMNS, badRows: 'keep' },
  ],
  ...(['per-run', 'per-month'] as const).map(
    (span): [string, string[], string, Record<string, string>] => [
      'expected a whole number of credits, or "none" for no limit',
      [...CSV, `--budget-${span}`, '1.5'],
      '/schedule',
      { [span === 'per-run' ? 'perRun' : 'perMonth']: '1.5' },
    ],
  ),
  [
    'the hour (field 2) must be *, 0 to 23, a range, a step or a list of those',
    [...CSV, '--schedule', '0 25 * * *'],
    '/schedule',
    { rhythm: 'cron', cron: '0 25 * * *' },
  ],
  [
    'not a time zone (an example is America/Chicago)',
    [...CSV, '--timezone', 'Mars/North'],
    '/schedule',
    { rhythm: 'nightly', timezone: 'Mars/North' },
  ],
];

it('is refused in the same words by the terminal and by the page', async () => {
  const terminal = await openInitWorld();
  await terminal.write('donors.csv', PEOPLE);
  await terminal.write('key.txt', 'pk with a space');
  const pages = await openLocal();
  const id = await withFile(pages);
  const other = await post(pages, '/setup', { name: 'Hillcrest' });
  const fresh = other.location?.replace('/crm', '') ?? '';
  const key: (typeof MISTAKES)[number] = [
    'must be one word, without spaces and quotes',
    [...CSV, '--partner-key-file', 'key.txt'],
    '/key',
    { baseUrl: pages.service.baseUrl, apiKey: 'pk with a space' },
  ];
  for (const [words, options, path, fields] of [...MISTAKES, key]) {
    const { exitCode, stdout } = await terminal.start(['init', '--yes', '--json', ...options])
      .ended;
    expect([exitCode, JSON.parse(stdout).error.message]).toEqual([
      2,
      expect.stringContaining(words),
    ]);
    const base = path === '/crm' ? fresh : path === '' ? '/setup' : `/setup/${id}`;
    const page = await post(pages, `${base}${path}`, fields);
    expect([page.status, unescaped(page.text)]).toEqual([422, expect.stringContaining(words)]);
  }
});

function unescaped(html: string): string {
  return html.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}
