import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { z } from 'zod';
import { type Clock, systemClock } from '../../src/core/clock.ts';
import { generateKey } from '../../src/database/encryption/key-ring.ts';
import { startMailServer, startWebhook } from '../clients/alerts/receivers.ts';
import { type CliWorld, openCliWorld } from '../helpers/cli.ts';
import { runWhole } from '../helpers/whole-program.ts';

/** The parts of a swept world that differ between CRMs. */
export interface SweptCrm {
  /** The `crm` part of the settings. Secrets are given as variables. */
  settings: string;
  /** The lines of the field map. */
  fields: readonly string[];
  /** The group that becomes a network. */
  group: string;
  /** The secrets by variable name. */
  secrets: Readonly<Record<string, string>>;
}

/** A text, and the place where it was printed. */
export interface Said {
  where: string;
  bytes: Buffer;
}

export interface SweptWorld extends Pick<CliWorld, 'service' | 'putFaults' | 'path'> {
  /** Every secret that the program was given or has created. */
  secrets: string[];
  /** Everything that was written so far to pipes, terminals, logs, emails, webhooks and responses. */
  said: Said[];
  /** The names of the commands that have run. */
  commands: Set<string>;
  /**
   * Runs a command three times: into pipes, with `--json`, and at a terminal. At a terminal, a command whose purpose is
   * to show people may show them. Its stdout is then not searched, but its log always is.
   *
   * The commands run one after the other, because two commands in one process that use the same SQLite file would block
   * each other.
   */
  look(...args: string[]): Promise<void>;
  /** Runs a command once, into pipes. */
  once(...args: string[]): Promise<string>;
  /** Runs a command once, with other variables or in another folder. */
  onceWith(
    options: { cwd?: string; env?: Record<string, string> },
    ...args: string[]
  ): Promise<void>;
  /** Makes alerts fail with these words of the other side. With null, they arrive again. */
  refuseAlerts(words: string | null): void;
  /** Starts the service, requests every page as each kind of caller, and stops it. */
  serveAndAsk(tokens: { admin: string; viewer: string }, hook: string): Promise<void>;
  runIds(): Promise<string[]>;
  /** Returns the files in the folder, except those with an excluded path. */
  files(except: readonly string[]): Promise<Said[]>;
  close(): Promise<void>;
}

/** A fast clock. Waits between attempts are long, and there are thousands of them here. */
const HURRIED: Clock = {
  ...systemClock,
  sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 5), signal),
};

const PASSWORD = 'Zyxmailpassword7391';
const SLACK_PATH = '/services/Zyxslack/B0042/7391';

/** Commands whose purpose is to show people: a plan, and old and new values. */
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

/** Commands that show people only at a terminal. */
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
    async serveAndAsk(tokens, hook) {
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
          // A CRM's messages, and people, are shown only to users who decide.
          if (caller === 'admin' && /^\/runs\/|\/persons$/.test(path)) continue;
          note(`GET ${path} as ${caller}`, await answer.text());
        }
      }
      const asked = await fetch(hook.replace(/^https?:\/\/[^/]+/, url), { method: 'POST' });
      note('POST of the webhook', await asked.text());
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
  /** More environment variables. */
  more?: Record<string, string>;
}

const readySchema = z.object({ url: z.string() });
const runsSchema = z.object({ runs: z.array(z.object({ id: z.string() })) });

const PAGES = [
  ...['/', '/sign-in', '/metrics', '/healthz', '/readyz', '/docs', '/docs/guide', '/openapi.json'],
  ...['/v1/integrations', '/v1/runs', '/v1/holds', '/v1/integrations/riverside'],
  ...['/integrations/riverside/persons', '/nowhere', '/runs/none', '/v1/runs/none'],
];

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
