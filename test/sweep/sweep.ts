/**
 * Puts marks into the people of a CRM and into every key. Then runs all commands while every external service fails
 * and quotes the marks. Afterwards, no stored or sent data may contain a mark. This applies to the database and its
 * log, journals, log lines, metrics, alerts, pages, and temporary files.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { COMMANDS } from '../../src/interfaces/cli/commands.ts';
import { marksIn } from '../helpers/marks.ts';
import { type Neighbour, PLANTED, QUOTING } from './neighbours.ts';
import type { SweptWorld } from './swept-world.ts';

/**
 * These commands run until they are stopped, and create their own people. `service` is the external service and has
 * no CRM.
 */
const NOT_SWEPT = ['demo', 'sandbox', 'service'];

/** A sweep takes six minutes if it runs alone. It takes ten minutes if all other tests run at the same time. */
export const SWEEP_TIMEOUT_MS = 900_000;

/**
 * Runs all commands and then searches for the marks. Closes neither the world nor the CRM. The product handles the
 * service's refusals in the same way for every CRM. One sweep therefore tries all of them, and the other sweeps try
 * only a few.
 */
export async function sweep(
  world: SweptWorld,
  neighbour: Neighbour,
  refusals: 'all' | 'some' = 'some',
): Promise<string[]> {
  const marks = new Set(await neighbour.readMarks().catch(() => []));
  const noteMarks = async () => {
    for (const mark of await neighbour.readMarks()) marks.add(mark);
  };
  await begin(world);
  for (const refusal of neighbour.refusals) {
    await refusal.begin();
    await failingLook(world, neighbour);
    await refusal.end();
  }
  await world.once('sync');
  await noteMarks();
  const { tokens, hook } = await makeTokens(world);
  await everyLook(world, neighbour);
  await world.serveAndAsk(tokens, hook, neighbour.ids.known);
  for (const failure of neighbour.failures) {
    await failure.begin();
    await failingLook(world, neighbour);
    await failure.end();
  }
  await failOfService(world, neighbour, refusals);
  await failOfAlerts(world);
  await failOfSettings(world);
  await world.serveAndAsk(tokens, hook, neighbour.ids.known);
  await noteMarks();
  await change(world, neighbour);
  await noteMarks();
  await world.serveAndAsk(tokens, hook, neighbour.ids.known);
  await expectAll(world, neighbour, marks.size);
  return findMarks(world, neighbour, [...marks]);
}

async function begin(world: SweptWorld): Promise<void> {
  await world.look('migrate', '--check');
  await world.look('doctor');
  await world.once('migrate');
  await world.look('fields', 'check');
  await world.once('fields', 'create');
  await world.look('plan', '--list', '50');
  const file = ['--yes', '--crm', 'csv', '--csv-path', world.path('lists/in.csv')];
  const made = ['--config', world.path('temp/made.yaml')];
  await world.look('init', ...file, '--force', ...made);
  await world.look('add', ...file, ...made);
  await world.once('connector', 'new', world.path('temp/connector'));
}

const tokenSchema = z.object({ token: z.string(), id: z.string() });
const linkSchema = z.object({ link: z.string() });
const hookSchema = z.object({ url: z.string() });

/** Creates tokens and a webhook address. Each secret is shown once to its creator. */
async function makeTokens({ once, said, secrets }: SweptWorld) {
  const before = said.length;
  const make = async (role: string) => {
    const text = await once('tokens', 'create', '--role', role, '--name', role, '--json');
    return tokenSchema.parse(JSON.parse(text)).token;
  };
  const tokens = { admin: await make('admin'), viewer: await make('viewer') };
  const person = ['--name', 'Ida', '--email', 'ida@example.org', '--role', 'owner', '--json'];
  const { link } = linkSchema.parse(JSON.parse(await once('users', 'invite', ...person)));
  const text = await once('hooks', 'create', 'riverside', '--signature', 'none', '--json');
  const hook = hookSchema.parse(JSON.parse(text)).url;
  said.splice(before);
  const shownOnce = [hook, link].map((address) => address.slice(address.lastIndexOf('/') + 1));
  secrets.push(...Object.values(tokens), ...shownOnce);
  return { tokens, hook };
}

/** Runs the commands that only read, while nothing fails. */
async function everyLook(world: SweptWorld, { ids }: Neighbour): Promise<void> {
  const [run = 'none'] = await world.runIds();
  await lookAtAll(world, [
    ...[
      'doctor installation',
      'doctor',
      'doctor --show',
      'plan',
      `plan --contact ${ids.known}`,
      'plan --full --list 50',
    ],
    ...[
      'status',
      'runs',
      `runs ${run}`,
      `runs ${run} --show`,
      'holds',
      'holds --show',
      'credits',
      'results',
    ],
    ...['help', 'help no_match', 'completion bash'],
    'approvals',
    ...['clients list', 'clients show riverside', 'clients check', 'setups list'],
    ...[`runs show ${run}`, `runs contacts ${run}`, 'holds queue', 'holds names', 'holds answers'],
    'runs redelivery riverside',
    ...[
      'schedule list',
      'schedule show riverside',
      'users list',
      'mails show --user nobody@example.org',
      'address show',
      'tokens list',
      'hooks list',
      'hooks show riverside',
      `hubspot app --out ${world.path('temp/app')}`,
      'fields check',
      'networks',
      'networks check',
      'networks introductions',
    ],
    ...[`paths ${ids.known}`, 'prospects', 'prospects --csv', 'export riverside', 'alerts check'],
    ...[
      'alerts test',
      'alerts list',
      'alerts show riverside',
      'migrate --check',
      'connect riverside',
      'nonsense',
      'runs nonsense',
    ],
    ...[`contacts show ${ids.known}`, 'contacts search Bea', 'introductions'],
    ...[`contacts names riverside/${ids.known}`, `contacts erasable ${ids.known}`],
    ...[`about ${ids.known}`, `about ${ids.known} --json`, 'audit', 'audit --csv', 'audit verify'],
    ...['audit export', 'audit export --csv', 'clients connections'],
    'worker --runs nonsense',
  ]);
}

/** Runs commands that read contacts and sync them, while the CRM fails. */
async function failingLook(world: SweptWorld, { ids }: Pick<Neighbour, 'ids'>): Promise<void> {
  await world.once('sync', '--full');
  await world.once('sync', '--contact', ids.known, '--json');
  await world.once('networks', 'repair');
  const [run = 'none'] = await world.runIds();
  await lookAtAll(world, [
    ...['doctor', 'doctor --show', 'plan', 'status', `runs ${run}`, `runs ${run} --show`, 'holds'],
    ...['holds --show', 'fields check', 'fields create', 'networks check', `about ${ids.known}`],
    ...[`paths ${ids.known}`, 'prospects', 'credits', 'alerts check'],
  ]);
}

async function lookAtAll(world: SweptWorld, commands: readonly string[]): Promise<void> {
  for (const words of commands) await world.look(...words.split(' '));
}

/** Makes the service refuse requests with messages that quote the person and the key. */
async function failOfService(
  world: SweptWorld,
  neighbour: Neighbour,
  refusals: 'all' | 'some',
): Promise<void> {
  const quoted = `${QUOTING} ${world.service.apiKey}`;
  const detail = [{ type: quoted, loc: ['body', quoted, 0], msg: quoted, input: quoted }];
  const some = [
    [422, { detail }],
    [500, `<html>${quoted}</html>`],
  ] as const;
  const others = [400, 401, 402, 403, 404].map((status) => [status, { detail: quoted }] as const);
  for (const [status, body] of refusals === 'all' ? [...others, ...some] : some) {
    await world.putFaults([{ on: { path: '*' }, fault: { kind: 'answer', status, body } }]);
    await failingLook(world, neighbour);
  }
  await world.putFaults([{ on: { path: '/enhancements' }, fault: { kind: 'quotePersons' } }]);
  await failingLook(world, neighbour);
  await world.putFaults([
    { on: { path: '*' }, fault: { kind: 'extraFields', fields: { [QUOTING]: QUOTING } } },
  ]);
  await failingLook(world, neighbour);
  await world.putFaults([]);
  await world.onceWith({ env: { PARTNER_API_KEY: `Zyx${world.service.apiKey}` } }, 'sync');
}

/** Makes the email server and the webhook refuse messages. Their responses quote the password and a person. */
async function failOfAlerts(world: SweptWorld): Promise<void> {
  world.refuseAlerts(`${QUOTING} ${world.secrets.join(' ')}`);
  await world.look('alerts', 'test');
  await world.look('alerts', 'check');
  world.refuseAlerts(null);
  const smtp = `smtp://sync:Zyxwrongpassword@127.0.0.1:9/${PLANTED.last}`;
  world.secrets.push('Zyxwrongpassword');
  await world.onceWith(
    { env: { SMTP_URL: smtp, SLACK_URL: 'http://127.0.0.1:9/Zyxhook7391' } },
    'alerts',
    'test',
  );
  await world.onceWith(
    { env: { SMTP_URL: 'Zyxnourl7391', SLACK_URL: 'Zyxnourl7391' } },
    'alerts',
    'test',
  );
  world.secrets.push('Zyxhook7391', 'Zyxnourl7391');
}

/** Tries invalid settings. Each of them contains a key. */
async function failOfSettings(world: SweptWorld): Promise<void> {
  const [key, folder] = ['Zyxliteralkey7391', world.path('temp/broken')];
  world.secrets.push(key);
  const integration = (partner: string, crm: string) =>
    `integrations:\n  - id: riverside\n    partner: ${partner}\n    crm: ${crm}\n`;
  const partner = `{ baseUrl: "http://127.0.0.1:9", apiKey: "${key}" }`;
  const csv = '{ kind: csv, path: in.csv, columns: { id: Id, firstName: First, lastName: Last } }';
  const pem = `-----BEGIN PRIVATE KEY-----\\n${key}\\n-----END PRIVATE KEY-----`;
  const jwt = `{ type: jwt, clientId: c, username: u, privateKey: "${pem}" }`;
  const broken = [
    integration(`{ baseUrl: "http://127.0.0.1:9", apiKey: "${key} }`, csv),
    integration(`{ baseUrl: "http://127.0.0.1:9", apiKey: ["${key}"] }`, csv),
    integration(`{ baseUrl: "${key}", apiKey: "${key}", unknown: "${key}" }`, csv),
    integration(`{ baseUrl: "http://u:${key}@127.0.0.1:9", apiKey: "${key}" }`, csv),
    integration(partner, '{ kind: mystery }'),
    integration(partner, `{ kind: hubspot, auth: { type: mystery, token: "${key}" } }`),
    integration(
      partner,
      `{ kind: hubspot, url: "http://127.0.0.1:9", auth: { type: token, token: "${key}" } }`,
    ),
    integration(
      partner,
      `{ kind: hubspot, url: "http://u:${key}@127.0.0.1:9", auth: { type: token, token: "${key}" } }`,
    ),
    integration(partner, `{ kind: salesforce, url: "http://127.0.0.1:9", auth: ${jwt} }`),
    `database: "${key}"\n${integration(partner, csv)}`,
    `database: "postgres://u:${key}@127.0.0.1:9/x"\n${integration(partner, csv)}`,
    `server: { publicUrl: "${key}" }\n${integration(partner, csv)}`,
    `alerts: { email: { to: [a@b.c], from: a@b.c, smtp: "${key}" } }\n${integration(partner, csv)}`,
    `${integration(partner, csv)}\t${key}: [`,
  ];
  const trials = broken.map(async (text, at) => {
    const cwd = `${folder}${at}`;
    await mkdir(cwd);
    await writeFile(`${cwd}/donor-sync.yaml`, text);
    const options = { cwd, env: { DONOR_SYNC_SECRET_KEY: '' } };
    for (const words of ['status', 'doctor', 'sync', 'export riverside', 'apply donor-sync.yaml']) {
      await world.onceWith(options, ...words.split(' '));
    }
  });
  await Promise.all(trials);
  for (const value of [`swept:${key}`, key, `${key},${key}`]) {
    await world.onceWith({ env: { DONOR_SYNC_SECRET_KEY: value } }, 'status');
  }
}

const holdsSchema = z.object({ holds: z.array(z.object({ id: z.string() })) });

/** Runs commands that change or erase data. At first, the CRM refuses the writes. */
async function change(world: SweptWorld, { ids, refusals }: Neighbour): Promise<void> {
  const { holds } = holdsSchema.parse(JSON.parse(await world.once('holds', '--json')));
  const [one = 'none', other = 'none', third = 'none'] = holds.map(({ id }) => id);
  for (const words of [`approve ${one}`, `reject ${other}`, `resubmit ${third}`]) {
    await world.once('holds', ...words.split(' '));
  }
  for (const refusal of refusals) {
    await refusal.begin();
    await takeBack(world, ids);
    await refusal.end();
  }
  await takeBack(world, ids);
  const backup = world.path('temp/backup');
  const password = 'Zyxmovepassword7391';
  world.secrets.push(password);
  for (const words of [
    ...[`backup ${backup}`, `restore ${backup} --check`, `restore ${backup} --yes`],
    ...['restore --put-back --yes', 'restore --agree riverside --yes'],
    ...['erase riverside --yes', 'remove riverside --yes'],
    ...[`move --to postgres://u:${password}@127.0.0.1:9/x`, 'audit verify'],
    ...[
      'sync',
      'stop riverside',
      'networks repair',
      'schedule pause riverside',
      'schedule resume riverside',
    ],
    ...['migrate --reseal', 'apply donor-sync.yaml --dry-run', 'disconnect riverside --yes'],
    'users role ida@example.org --role viewer',
    `users link ida@example.org --out ${world.path('temp/link')}`,
    ...['users passkeys list ida@example.org'],
    ...['users passkeys remove ida@example.org nonsense --yes'],
    ...['users crm-users list ida@example.org'],
    ...['users crm-users unlink ida@example.org nonsense'],
    ...['users disable ida@example.org', 'users enable ida@example.org'],
    ...['users remove ida@example.org --yes', 'users remove nonsense'],
    ...['tokens revoke nonsense', 'hooks revoke riverside --yes', 'alerts check'],
  ]) {
    await world.once(...words.split(' '));
  }
}

async function takeBack(world: SweptWorld, { known, planted }: Neighbour['ids']): Promise<void> {
  for (const run of await world.runIds()) await world.once('undo', run, '--yes');
  await world.once('runs', 'redeliver', 'riverside', '--yes');
  await world.once('forget', planted, '--also-in-crm', '--yes');
  await world.once('forget', known, '--yes');
}

/** Expects that all commands ran, that the planned failures happened, and that IDs were found in their places. */
async function expectAll(world: SweptWorld, { ids, proofs }: Neighbour, persons: number) {
  const names = COMMANDS.map(({ name }) => name).filter((name) => !NOT_SWEPT.includes(name));
  expect(names.filter((name) => !world.commands.has(name))).toEqual([]);
  expect(persons).toBeGreaterThan(25);
  const said = Buffer.concat(world.said.map(({ bytes }) => bytes));
  expect([ids.known, ...proofs].filter((proof) => !said.includes(proof))).toEqual([]);
  const places = new Set((await world.files([])).map(({ where }) => where));
  expect(['a mail', 'a webhook', 'donor-sync.yaml'].filter((where) => !places.has(where))).toEqual(
    [],
  );
}

/** Returns the marks that were found, and the place of each mark. */
async function findMarks(
  world: SweptWorld,
  { files }: Neighbour,
  persons: readonly string[],
): Promise<string[]> {
  const kept = await world.files([...files, 'data/store.db.key']);
  const planted = [...Object.values(PLANTED), 'quarrels with her brother'];
  const marks = [...planted, ...persons, ...world.secrets];
  const found = [...world.said, ...kept]
    .filter(({ where }) => !isBrokenSettings(where))
    .flatMap(({ where, bytes }) => marksIn(bytes, marks).map((mark) => `${where}: ${mark}`));
  return [...new Set(found)];
}

/** Returns true for settings into which a user wrote a key. */
function isBrokenSettings(path: string): boolean {
  return /^temp\/broken\d+\/donor-sync\.yaml$/.test(path);
}
