import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { generateKey } from '../../src/database/encryption/key-ring.ts';
import { startMailServer, startWebhook } from '../clients/alerts/receivers.ts';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { runWhole } from '../helpers/whole-program.ts';
import { ROUTES } from '../interfaces/api/route-table.ts';

/** The parts of the sweep that differ between CRMs. */
export interface SweptCrm {
  /** The `crm` part of the settings. Environment variables contain the secrets. */
  settings: string;
  /** The lines of the field map. */
  fields: readonly string[];
  /** The group that becomes a network. */
  group: string;
  /** The secrets by variable name. */
  secrets: Readonly<Record<string, string>>;
}

/** A string, and the place where it was printed. */
export interface Said {
  where: string;
  bytes: Buffer;
}

export interface SweptWorld extends Pick<CliWorld, 'service' | 'putFaults' | 'path'> {
  /** Every secret that the program was given or has created. */
  secrets: string[];
  /** All output that has been written to pipes, terminals, logs, emails, webhooks and responses. */
  said: Said[];
  commands: Set<string>;
  /**
   * Runs a command three times. The output goes to pipes, to pipes with `--json`, and to a terminal. Some commands
   * are allowed to show people at a terminal. The sweep then does not search their stdout, but it always searches
   * their log.
   *
   * The commands run one after the other, because two commands in one process that use the same SQLite file would
   * block each other.
   */
  look(...args: string[]): Promise<void>;
  /** Runs a command once. Its output goes to pipes. */
  once(...args: string[]): Promise<string>;
  /** Runs a command once, with other environment variables or in a different folder. */
  onceWith(
    options: { cwd?: string; env?: Record<string, string> },
    ...args: string[]
  ): Promise<void>;
  /** Makes alerts fail. The receiver responds with these words. If `words` is null, alerts arrive again. */
  refuseAlerts(words: string | null): void;
  /**
   * Starts the service and requests every page as each kind of caller. Calls the webhook with and without a contact.
   * Then stops the service.
   */
  serveAndAsk(
    tokens: { admin: string; viewer: string },
    hook: string,
    contact: string,
  ): Promise<void>;
  runIds(): Promise<string[]>;
  /** Returns the files in the folder. Omits the files with an excluded path. */
  files(except: readonly string[]): Promise<Said[]>;
  close(): Promise<void>;
}

/** A fast clock. The waits between attempts are long, and the sweep needs thousands of them. */
const HURRIED: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

const PASSWORD = 'Zyxmailpassword7391';
const SLACK_PATH = '/services/Zyxslack/B0042/7391';

/** Commands that are meant to show people. They show a plan, or old and new values. */
const SHOWS_PERSONS = [
  ['plan'],
  ['paths'],
  ['contacts', 'show'],
  ['contacts', 'search'],
  ['contacts', 'names'],
  ['prospects'],
  ['introductions'],
  ['holds', '--show'],
  ['holds', 'names'],
  ['runs', '--show'],
  ['doctor', '--show'],
];

/** Commands that are allowed to show people, but only at a terminal. */
const SHOWS_AT_TERMINAL = [['init'], ['add']];

export interface SweptWorldOptions {
  crm: SweptCrm;
  database?: string;
  /** True to use a key file next to the database instead of a variable. */
  hasKeyFile?: boolean;
}

export async function openSweptWorld(options?: SweptWorldOptions): Promise<SweptWorld> {
  if (options === undefined) throw new Error('a swept world needs a CRM');
  const { crm, database = 'sqlite:data/store.db', hasKeyFile = false } = options;
  const world = await openCliWorld({ people: 0, service: { networkJobTimeMs: 0 } });
  const mail = await startMailServer({ password: PASSWORD });
  const slack = await startWebhook();
  const folder = dirname(world.path('x'));
  for (const name of ['data', 'temp', 'lists']) await mkdir(world.path(name));
  const temporary = process.env['TMPDIR'];
  process.env['TMPDIR'] = world.path('temp');
  const secretKey = generateKey('swept');
  const env = {
    PARTNER_API_KEY: world.service.apiKey,
    SMTP_URL: mail.url,
    SLACK_URL: slack.url.replace('/services/secret', SLACK_PATH),
    ...(hasKeyFile ? {} : { DONOR_SYNC_SECRET_KEY: secretKey }),
    ...crm.secrets,
  };
  await writeFile(world.path('donor-sync.yaml'), settingsOf(world, crm, database));
  const said: Said[] = [];
  const commands = new Set<string>();
  const [keyText = secretKey] = secretKey.split(':').slice(-1);
  const secrets = [
    ...[world.service.apiKey, PASSWORD, SLACK_PATH.slice(1), ...Object.values(crm.secrets)],
    ...(hasKeyFile ? [] : [keyText]),
  ];

  function note(where: string, text: string): void {
    said.push({ where, bytes: Buffer.from(text) });
  }

  async function run(
    args: readonly string[],
    { isTTY = false, cwd = folder, more = {} }: RunOptions = {},
  ): Promise<string> {
    commands.add(args[0] ?? '');
    const { stdout, stderr } = await runWhole(args, {
      ...{ cwd, env: { ...env, ...more }, isTTY, clock: HURRIED },
    });
    const where = `${args.join(' ')}${isTTY ? ' (terminal)' : ''}`;
    note(`${where} 2>`, stderr);
    const shows = isTTY ? [...SHOWS_PERSONS, ...SHOWS_AT_TERMINAL] : SHOWS_PERSONS;
    const isShowing = shows.some(
      (words) => words[0] === args[0] && words.every((word) => args.includes(word)),
    );
    if (!isShowing) note(`${where} >`, stdout);
    return stdout;
  }

  return {
    service: world.service,
    putFaults: world.putFaults,
    path: world.path,
    secrets,
    said,
    commands,
    async look(...args) {
      await run(args);
      await run([...args, '--json']);
      await run(args, { isTTY: true });
    },
    once: (...args) => run(args),
    async onceWith({ cwd = folder, env: more = {} }, ...args) {
      await run(args, { cwd, more });
      await run([...args, '--json'], { cwd, more });
    },
    refuseAlerts(words) {
      mail.refuse(words);
      slack.answer(words === null ? 200 : 500);
    },
    async serveAndAsk(tokens, hook, contact) {
      commands.add('serve');
      const [latest = 'none'] = await runIds();
      const stop = new AbortController();
      const { promise, resolve } = Promise.withResolvers<string>();
      const ended = runWhole(['serve', '--port', '0', '--json'], {
        cwd: folder,
        env,
        stop: stop.signal,
        onStdout: (written) => written.endsWith('\n') && resolve(written),
      });
      const text = await Promise.race([promise, ended.then(({ stderr }) => stderr)]);
      const { url } = readySchema.parse(JSON.parse(text));
      const callers = { anonymous: null, ...tokens };
      for (const [caller, token] of Object.entries(callers)) {
        for (const path of [...PAGES, `/runs/${latest}`, `/v1/runs/${latest}`]) {
          const headers = token === null ? {} : { authorization: `Bearer ${token}` };
          const answer = await fetch(url + path, { headers });
          // Only users who decide can see a CRM's messages and people.
          if (caller === 'admin' && /^\/runs\/|\/persons$/.test(path)) continue;
          note(`GET ${path} as ${caller}`, await answer.text());
        }
      }
      const pages = toPagePaths(contact, latest);
      for (const [caller, token] of Object.entries(tokens)) {
        for (const path of pages) {
          const headers = { authorization: `Bearer ${token}` };
          const answer = await fetch(url + path, { headers, redirect: 'manual' });
          const text = await answer.text();
          // An admin may see names. The sweep still searches all data that the service stores about these requests.
          if (caller === 'viewer') note(`GET ${path} as ${caller}`, text);
        }
      }
      for (const query of ['', `?contact=${encodeURIComponent(contact)}`]) {
        const called = await fetch(hook.replace(/^https?:\/\/[^/]+/, url) + query, {
          method: 'POST',
        });
        note(`POST of the webhook${query}`, await called.text());
      }
      stop.abort();
      const { stdout, stderr } = await ended;
      note('serve', stdout + stderr);
    },
    runIds,
    async files(except) {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      const paths = entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
      const texts = paths
        .filter((path) => !except.includes(path))
        .map(async (path) => ({ where: path, bytes: await readFile(world.path(path)) }));
      const delivered = [
        ...mail.mails.map(({ source }) => ({ where: 'a mail', bytes: Buffer.from(source) })),
        ...slack.bodies.map((body) => ({
          where: 'a webhook',
          bytes: Buffer.from(JSON.stringify(body)),
        })),
      ];
      return [...(await Promise.all(texts)), ...delivered];
    },
    async close() {
      if (temporary === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = temporary;
      await mail.close();
      await slack.close();
      await world.close();
    },
  };

  async function runIds(): Promise<string[]> {
    return runsSchema.parse(JSON.parse(await run(['runs', '--json']))).runs.map(({ id }) => id);
  }
}

interface RunOptions {
  isTTY?: boolean;
  cwd?: string;
  /** Further environment variables. */
  more?: Record<string, string>;
}

const readySchema = z.object({ url: z.string() });
const runsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

const PAGES = [
  ...['/', '/sign-in', '/metrics', '/healthz', '/readyz', '/docs', '/docs/guide', '/openapi.json'],
  ...['/v1/integrations', '/v1/runs', '/v1/holds', '/v1/integrations/riverside'],
  ...['/integrations/riverside/persons', '/nowhere', '/runs/none', '/v1/runs/none'],
];

/** Returns the address of each page, from the table of routes. Excludes pages of single decisions. */
function toPagePaths(contact: string, run: string): string[] {
  return Object.entries(ROUTES).flatMap(([name, { isPage, about = 'list', path }]) => {
    if (isPage !== true || !['list', 'all', 'integration', 'run'].includes(about)) return [];
    const pattern = (path ?? name.replace('GET ', '')).replace('C000001', contact);
    return [pattern.replace(/:(?:id|integration)\b/, about === 'run' ? run : 'riverside')];
  });
}

function settingsOf(
  { service }: Pick<CliWorld, 'service'>,
  { settings, fields, group }: SweptCrm,
  database: string,
): string {
  return `database: "${database}"
alerts:
  email: { to: [ann@example.org], from: sync@example.org, smtp: "\${SMTP_URL}" }
  webhook: { url: "\${SLACK_URL}" }
integrations:
  - id: riverside
    name: Riverside
    partner: { baseUrl: "${service.baseUrl}", apiKey: "\${PARTNER_API_KEY}" }
    crm: ${settings}
    settleAfterMs: 200
    networks: [{ name: Board, group: ${group} }]
    fields: [${fields.join(', ')}]
`;
}
