/** Tests the package that `npm pack` creates. The package must work without other files. */
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { compareStarts } from '../../bench/start-cost.ts';
import { type PartnerSandbox, startPartnerSandbox } from '../../sandbox/partner/index.ts';
import { bringInstalledModules } from '../../scripts/replay-dockerfile/installed-modules.ts';
import { runToEnd, start } from '../../scripts/replay-dockerfile/process.ts';
import { OLDEST_NODE } from '../../src/node-version.ts';
import { nodesOnPath } from '../helpers/nodes-on-path.ts';
import { controlService } from '../helpers/service-control.ts';
import { errorSchema } from '../interfaces/cli/documents.ts';
import { liveOn } from './life-on-node.ts';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The test builds and installs the package on a machine that also does other work. */
const TIMEOUT_MS = 300_000;

const packedSchema = z.tuple([
  z.object({ filename: z.string(), files: z.array(z.object({ path: z.string() })) }),
]);

const manifestSchema = z.object({
  version: z.string(),
  devDependencies: z.record(z.string(), z.string()).default({}),
});

const lockSchema = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string(),
      integrity: z.string().optional(),
      dev: z.boolean().optional(),
      optional: z.boolean().optional(),
    }),
  ),
});

const packageSchema = z.object({ version: z.string() });

const OLDEST_MAJOR = Number.parseInt(OLDEST_NODE, 10);

const runsSchema = z.object({
  runs: z.array(
    z.object({ status: z.string(), contacts: z.object({ read: z.number(), written: z.number() }) }),
  ),
});

const crmSchema = z.object({
  contacts: z.array(z.object({ values: z.object({ donor_id: z.string().optional() }) })),
});

describe('the package', () => {
  let folder: string;
  /** A folder in which only the package was installed. */
  let place: string;
  let tarball: string;
  let files: string[];

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'donor-sync-package-'));
    const source = join(folder, 'source');
    await copySources(source);
    const [packed] = packedSchema.parse(
      JSON.parse(await run(['npm', 'pack', '--silent', '--json'], source)),
    );
    tarball = join(source, packed.filename);
    files = packed.files.map(({ path }) => path);
    place = join(folder, 'place');
    await mkdir(place);
    await bringInstalledModules(CHECKOUT, place);
    // Everything that the package may use is already there. npm removes packages that it does not need.
    await run(['npm', 'install', '--offline', '--omit=dev', tarball], place);
  }, TIMEOUT_MS);

  afterAll(() => rm(folder, { recursive: true }));

  it('has the program, the types of the contract, settings, the unit and the data of the demo', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        ...['LICENSE', 'README.md', 'CHANGELOG.md', 'package.json', 'npm-shrinkwrap.json'],
        ...['dist/src/main.js', 'dist/connectors/contract.d.ts', 'dist/src/core/errors.d.ts'],
        ...['dist/connectors/testing/public.js', 'dist/src/partner/public.d.ts'],
        ...['config/donor-sync.example.yaml', 'config/settings.schema.json'],
        ...['SECURITY.md', 'dist/sbom.cdx.json', 'dist/licences.json'],
        ...[
          'dist/src/interfaces/pages/assets/pages.css',
          'dist/src/interfaces/pages/assets/pages.js',
        ],
        ...['bash', 'zsh', 'fish'].map((shell) => `dist/completions/donor-sync.${shell}`),
        'dist/donor-sync.1',
        ...['dist/src/mapping/nicknames.csv', 'dist/src/mapping/common-names.csv'],
        ...['deploy/donor-sync.service', 'people/data/surnames.csv', 'service/data/surnames.csv'],
        ...['deploy/salesforce/README.md', 'deploy/salesforce/sfdx-project.json'],
      ]),
    );
  });

  it('contains only the files that we expect', () => {
    const isExpected = [
      /^(LICENSE|README\.md|CHANGELOG\.md|SECURITY\.md|package\.json|npm-shrinkwrap\.json|deploy\/donor-sync\.service)$/,
      /^deploy\/helm\/donor-sync\/(\.helmignore|Chart\.yaml|values\.(yaml|schema\.json))$/,
      /^deploy\/helm\/donor-sync\/templates\/[\w.-]+$/,
      /^deploy\/salesforce\/(README\.md|sfdx-project\.json|(force-app|app|app-person-accounts)\/main\/default\/.+)$/,
      // Files of the project that `donor-sync hubspot app` copies.
      /^dist\/deploy\/hubspot\/(hsproject\.json|src\/app\/.+\.(json|tsx?))$/,
      /^(config\/[\w.-]+\.(yaml|json)|people\/data\/.+\.(csv|md|xml)|service\/data\/.+\.(csv|md))$/,
      /^dist\/(package|sbom\.cdx|licences|outside)\.json$/,
      /^dist\/guide\/(files\.json|search\.json|[\w-]+\.html|images\/[\w-]+\.webp)$/,
      // The files that browsers load, the data lists, and the licences of their packages.
      /^dist\/packages\/(@[\w-]+\/)?[\w-]+\/(.+\.(js|css|br|gz)|licen[cs]e(\.txt|\.md)?)$/i,
      /^dist\/(src\/main|src\/process-memory|src\/core\/errors|src\/partner\/public)\.js$/,
      /^dist\/connectors\/(index|public|testing\/public)\.js$/,
      /^dist\/chunks\/[\w-]+\.js$/,
      /^dist\/(completions\/donor-sync\.(bash|zsh|fish)|donor-sync\.1)$/,
      // A worker thread needs a separate file.
      /^dist\/connectors\/csv\/sources\/workbook-worker\.js$/,
      /^dist\/src\/(clients\/setup\/upload|people\/sign-in\/guess)-worker\.js$/,
      /^dist\/src\/interfaces\/(pages\/assets|cli\/commands\/connector\/skeleton)\/[\w-]+\.js$/,
      /^dist\/src\/(.+\.(css|csv|svg)|interfaces\/cli\/commands\/connector\/skeleton\/README\.md)$/,
      /^dist\/(connectors|src\/(core|outbound|partner))\/.*[\w-]+\.d\.ts$/,
    ];
    const isTest = (file: string) =>
      /test|bench/i.test(file.replace(/^dist\/(connectors\/testing|testbed)\//, ''));
    expect(files.filter((file) => !isExpected.some((known) => known.test(file)))).toEqual([]);
    expect(files.filter(isTest)).toEqual([]);
  });

  it('has no complaint of publint', async () => {
    const bytes = new Uint8Array(await readFile(tarball));
    const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, strict: true });
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([]);
  });

  it('installs no package that only developers need', async () => {
    const { devDependencies } = manifestSchema.parse(
      await readJson(join(CHECKOUT, 'package.json')),
    );
    const installed = await readdir(join(place, 'node_modules'));
    expect(installed).toEqual(expect.arrayContaining(['donor-sync', 'better-sqlite3', 'zod']));
    const tools = Object.keys(devDependencies).filter((name) => !name.startsWith('@'));
    expect(tools.filter((name) => installed.includes(name))).toEqual([]);
  });

  it('has the completions and the manual page as files, which a command only prints', async () => {
    const built = join(place, 'node_modules/donor-sync/dist');
    const script = await readFile(join(built, 'completions/donor-sync.bash'), 'utf8');
    expect(script).toContain("'users invite'");
    expect(await run(['npx', 'donor-sync', 'completion', 'bash'], place)).toBe(script);
    const manual = await readFile(join(built, 'donor-sync.1'), 'utf8');
    expect(manual).toContain('.SS donor\\-sync users invite');
    expect(Buffer.byteLength(manual)).toBeLessThan(64 * 1024);
  });

  it('runs by npx, and knows its version', async () => {
    const { version } = manifestSchema.parse(await readJson(join(CHECKOUT, 'package.json')));
    expect((await run(['npx', 'donor-sync', '--version'], place)).trim()).toBe(version);
  });

  it('is installed by its shrinkwrap as it was tested, with the hash of each package', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const exact = join(folder, 'exact');
    await mkdir(exact);
    await run(['tar', '-xzf', tarball, '--strip-components=1'], exact);
    // The test runs the command from docs/guides/run-with-systemd.md. npm's cache contains the packages in the same
    // lock file.
    const { HOME = '' } = process.env;
    const install = ['npm', 'ci', '--ignore-scripts', '--prefer-offline'];
    const env = { ...options(exact).env, HOME };
    await runToEnd(install, { ...options(exact), env });
    const kept = (lock: z.infer<typeof lockSchema>) =>
      Object.entries(lock.packages).flatMap(([path, { version, integrity, dev, optional }]) =>
        path === '' || dev === true ? [] : [{ path, version, integrity, optional }],
      );
    const locked = lockSchema.parse(await readJson(join(exact, 'npm-shrinkwrap.json')));
    const installed = await readJson(join(exact, 'node_modules/.package-lock.json'));
    expect(kept(lockSchema.parse(installed))).toEqual(kept(locked));
    expect(kept(locked).length).toBeLessThanOrEqual(40);
    for (const { path, version } of kept(locked)) {
      const { version: there } = packageSchema.parse(
        await readJson(join(exact, path, 'package.json')),
      );
      expect(there, path).toBe(version);
    }
    const { version } = manifestSchema.parse(await readJson(join(exact, 'package.json')));
    const program = join(exact, 'dist/src/main.js');
    expect((await run([program, '--version'], exact)).trim()).toBe(version);
    // Opens the database driver, a binary that is not part of the bundle.
    await writeFile(join(exact, 'donor-sync.yaml'), 'database: "sqlite:a.db"\nintegrations: []\n');
    expect(await run([program, 'audit', 'verify'], exact)).toContain('0 entries');
  });

  it('starts nearly as fast and as small as an empty Node, for its help', async () => {
    const program = join(place, 'node_modules/donor-sync/dist/src/main.js');
    const { empty, started } = await compareStarts([program, '--help'], { rounds: 7 });
    // The limits allow for a busy machine. Before the product was bundled, the start took five times as long and needed
    // 1.8 times the memory.
    expect(started.ms / empty.ms).toBeLessThan(3.5);
    expect(started.megabytes / empty.megabytes).toBeLessThan(1.5);
  });

  it('says on a Node that is too old what it needs, and ends with 2', async () => {
    for (const { folder: nodeFolder, major } of nodesOnPath()) {
      const PATH = [nodeFolder, process.env['PATH']].join(delimiter);
      const env = { PATH, HOME: folder, TMPDIR: folder };
      const words = [join(place, 'node_modules/.bin/donor-sync'), '--version'];
      const running = start(words, { cwd: place, env, timeoutMs: TIMEOUT_MS });
      expect(await running.ended).toBe(major < OLDEST_MAJOR ? 2 : 0);
      expect(running.output()).toContain(major < OLDEST_MAJOR ? 'needs Node' : '.');
    }
  });

  it('plays the demo to its end', { timeout: TIMEOUT_MS }, async () => {
    const output = await run(['npx', 'donor-sync', 'demo', '--once'], place);
    expect(output).toContain('First sync');
  });

  // These tests of the package run at one time, because the tests share only the package and mostly wait.
  it.concurrent.for([
    ['the oldest that it takes', 'node-22'],
    ['the long-term support before', 'node-24'],
    ['the one of the checkout', 'node'],
  ] as const)(
    'lives on %s',
    { timeout: TIMEOUT_MS },
    async ([, name], { onTestFinished: atEnd }) => {
      const node = join(CHECKOUT, 'node_modules', name, 'bin');
      if (name === 'node-22') {
        expect((await run([join(node, 'node'), '--version'], place)).trim()).toBe(
          `v${OLDEST_NODE}`,
        );
      }
      await liveOn({ node, place, folder: join(folder, name), atEnd });
      const env = { ...options(place).env, PATH: [node, process.env['PATH']].join(delimiter) };
      const skeleton = join(folder, name, 'my-crm');
      await bringInstalledModules(place, skeleton);
      const output = await runToEnd(['npm', 'test', '--', '--test-reporter=tap'], {
        ...options(skeleton),
        env,
      });
      expect(output).toMatch(/^# fail 0$/m);
    },
  );

  it('compiles what is written against its exports', async () => {
    const connector = `
      import type { Connector } from 'donor-sync/connector';
      import { testConnector } from 'donor-sync/connector/testing';
      import { ConfigurationError } from 'donor-sync/errors';
      import { createPartnerClient, silentLog, systemClock } from 'donor-sync/partner-client';
      export const close: Connector['close'] = async () => { throw new ConfigurationError('closed', { code: 'x' }); };
      export const client = createPartnerClient({ baseUrl: 'http://127.0.0.1:1/v1/partners', apiKey: 'k', clock: systemClock, log: silentLog });
      export const kit: (...all: Parameters<typeof testConnector>) => void = testConnector;
      // @ts-expect-error: a connector has no such thing, and an unknown type would have anything.
      export type Wrong = Connector['wrong'];
    `;
    await writeFile(join(place, 'connector.ts'), connector);
    await compile('--types', '', 'connector.ts');
  });

  it('has a client of the service for others', async () => {
    const service = await aService();
    const program = `
      import { createPartnerClient, silentLog, systemClock } from 'donor-sync/partner-client';
      const [baseUrl, apiKey] = process.argv.slice(2);
      const client = createPartnerClient({ baseUrl, apiKey, clock: systemClock, log: silentLog });
      console.log((await client.readCredits()).enhancements);
    `;
    await writeFile(join(place, 'credits.mjs'), program);
    const said = await run(['node', 'credits.mjs', service.baseUrl, service.apiKey], place);
    expect(Number(said)).toBeGreaterThan(0);
  });

  describe('with a connector of its own', () => {
    const contacts = () => join(place, 'contacts.json');

    beforeAll(async () => {
      await run(['npx', 'donor-sync', 'connector', 'new', 'my-crm'], place);
      await run(['npm', 'install', '--offline', './my-crm'], place);
    }, TIMEOUT_MS);

    it('has a skeleton that compiles and passes the kit', async () => {
      const output = await run(['npm', 'test', '--', '--test-reporter=tap'], join(place, 'my-crm'));
      expect(output).toMatch(/^# pass 1\d\d$/m);
      expect(output).toMatch(/^# fail 0$/m);
      const types = ['--types', 'node', '--typeRoots', join(CHECKOUT, 'node_modules/@types')];
      await compile('--allowJs', '--checkJs', ...types, 'my-crm/index.js', 'my-crm/index.test.js');
    });

    it('has an example with an HTTP API that passes the kit on the oldest Node, and mistakes that it finds', async () => {
      const test = `
        import { describe, it } from 'node:test';
        import assert from 'node:assert/strict';
        import { createHttp, readOffsetPages } from 'donor-sync/connector';
        import {
          defineExampleConnector, EXAMPLE_ABILITIES, findBrokenPromises, MISTAKES, openExampleHarness, testConnector,
        } from 'donor-sync/connector/testing';
        const declare = (runner, definition) =>
          testConnector(runner, 'example', () => openExampleHarness(definition), EXAMPLE_ABILITIES);
        declare({ describe, it }, defineExampleConnector());
        it('exports the HTTP part', () => {
          assert.deepEqual([typeof createHttp, typeof readOffsetPages], ['function', 'function']);
        });
        it('finds a mistake', async () => {
          const [{ definition, breaks }] = MISTAKES;
          const broken = await findBrokenPromises((runner) => declare(runner, definition), breaks);
          assert.equal(broken.length, 1);
        });
      `;
      await writeFile(join(place, 'my-crm/example.test.js'), test);
      try {
        const node = join(CHECKOUT, 'node_modules/node-22/bin/node');
        const command = [node, '--test', '--test-reporter=tap', 'my-crm/example.test.js'];
        const output = await run(command, place);
        // The kit tests more than 200 promises for a connector with all abilities.
        expect(output).toMatch(/^# pass 2\d\d$/m);
        expect(output).toMatch(/^# fail 0$/m);
      } finally {
        await rm(join(place, 'my-crm/example.test.js'));
      }
    });

    it('syncs with it', async () => {
      const service = await aService();
      const people = await controlService(service).people(20);
      const rows = people.map(({ id, firstName, lastName, addresses, employers }) => ({
        ...{ id, firstName, lastName, addresses, employers, values: {} },
      }));
      await writeFile(contacts(), JSON.stringify({ fields: ['donor_id'], contacts: rows }));
      await writeSettings('my-crm', service);
      const [report] = runsSchema.parse(JSON.parse(await sync())).runs;
      expect(report).toMatchObject({ status: 'succeeded', contacts: { read: 20 } });
      expect(report?.contacts.written).toBeGreaterThan(5);
      const crm = crmSchema.parse(await readJson(contacts()));
      const written = crm.contacts.filter(({ values }) => values.donor_id !== undefined);
      expect(written).toHaveLength(report?.contacts.written ?? -1);
    });

    it('tells its ConfigurationError as one', async () => {
      await writeFile(contacts(), 'no JSON');
      await writeSettings('my-crm', await aService());
      expect(await failedSync()).toMatchObject({ exitCode: 2, code: 'crm_file_unreadable' });
    });

    it('refuses it by its name if it is for another version of the contract', async () => {
      await writeSettings('my-crm', await aService());
      const file = join(place, 'my-crm/index.js');
      const text = await readFile(file, 'utf8');
      expect(text).toContain('  contract: 2,\n');
      try {
        await writeFile(file, text.replace('  contract: 2,\n', ''));
        // A wrong contract version counts as a problem in the settings, and the product reports all problems in the
        // settings together.
        expect(await failedSync()).toMatchObject({
          exitCode: 2,
          code: 'settings_invalid',
          message: expect.stringMatching(
            /"my-crm" follows a version without a number .* needs version 2\. Nothing was loaded/,
          ),
        });
      } finally {
        await writeFile(file, text);
      }
    });

    describe('that describes its CRM', () => {
      const about = `
        about: {
          kind: 'my-crm',
          name: 'My CRM',
          setup: {
            address: { noun: 'the address of My CRM', ask: 'What is the address of My CRM?', label: 'Address' },
            signIns: [{
              type: 'apiKey', label: 'Key', browser: 'key',
              fields: [{ name: 'apiKey', noun: 'the key', label: 'Key', isSecret: true, variable: 'MY_CRM_KEY' }],
            }],
            howTo: ['Create a key in My CRM.'],
            groupExample: '{ group: "Board" }',
          },
          webhooks: {
            signature: {
              label: 'signed by My CRM', secretNoun: "My CRM's secret", settingsNoun: 'the secret of My CRM',
              variable: 'MY_CRM_SECRET', help: 'My CRM signs with its secret.', findSecret: () => null,
              versions: [{ header: 'x-my-crm', timestamp: null, sign: (secret) => secret }],
            },
            readEvent: ({ myCrm }) => (typeof myCrm === 'string' ? { ids: [myCrm], account: null } : null),
          },
        },`;
      const settings = `z.union([
        z.strictObject({ kind: z.literal('my-crm'), path: z.string().min(1) }),
        z.strictObject({
          kind: z.literal('my-crm'), url: z.url(), auth: z.strictObject({ type: z.literal('apiKey'), apiKey: z.string().min(1) }),
        }).transform((crm) => ({ ...crm, path: 'contacts.json' })),
      ])`;
      let original: string;

      beforeAll(async () => {
        original = await readFile(join(place, 'my-crm/index.js'), 'utf8');
        await changeConnector(about);
      });

      afterAll(() => writeFile(join(place, 'my-crm/index.js'), original));

      /** Appends text after the contract version of the connector. */
      async function changeConnector(text: string): Promise<void> {
        const changed = original
          .replace('  contract: 2,\n', `  contract: 2,\n${text}\n`)
          .replace(
            "z.strictObject({ kind: z.literal('my-crm'), path: z.string().min(1) })",
            settings,
          );
        await writeFile(join(place, 'my-crm/index.js'), changed);
      }

      it('is set up in the terminal by its own questions', async () => {
        const words = ['init', '--yes', '--crm', 'my-crm', '--name', 'Riverside', '--force'];
        const crm = ['--crm-url', 'https://crm.example.org', '--opt-out-field', 'none'];
        await run(['npx', 'donor-sync', ...words, ...crm, '--config', 'init.yaml'], place);
        const written = await readFile(join(place, 'init.yaml'), 'utf8');
        expect(written).toContain('kind: my-crm');
        expect(written).toMatch(/apiKey: .*MY_CRM_KEY/);
      });

      it('has its own signature of webhooks, and its name where users see it', async () => {
        await writeSettings('my-crm', await aService());
        const secret = ['--signature', 'my-crm', '--secret-env', 'MY_CRM_SECRET'];
        const env = { ...options(place).env, MY_CRM_SECRET: 'swordfish' };
        const words = ['npx', 'donor-sync', 'hooks', 'create', 'my-crm', ...secret, '--json'];
        const created = await runToEnd(words, { ...options(place), env });
        expect(JSON.parse(created)).toMatchObject({ signature: 'my-crm', secret: null });
      });

      it.each([
        ['about.name', about.replace("name: 'My CRM',", '')],
        ['about.setup.signIns.0.type', about.replace("type: 'apiKey',", '')],
        ['about.webhooks.readEvent', about.replace(/readEvent: .*/, "readEvent: 'no function',")],
      ])('is refused by its name if the part %s is wrong', async (part, text) => {
        await changeConnector(text);
        try {
          await writeSettings('my-crm', await aService());
          expect(await failedSync()).toMatchObject({
            exitCode: 2,
            code: 'settings_invalid',
            message: expect.stringMatching(
              new RegExp(`package "my-crm" lacks these parts.*${part}.*Nothing was loaded`),
            ),
          });
        } finally {
          await changeConnector(about);
        }
      });
    });

    it('tells that of a package with a donor-sync of its own as one, too', async () => {
      const elsewhere = join(folder, 'elsewhere');
      const other = join(elsewhere, 'other-crm');
      await mkdir(other, { recursive: true });
      await bringInstalledModules(place, elsewhere);
      await cp(join(place, 'my-crm'), other, { recursive: true });
      for (const file of await readdir(other)) {
        const text = await readFile(join(other, file), 'utf8');
        await writeFile(join(other, file), text.replaceAll('my-crm', 'other-crm'));
      }
      await run(['npm', 'install', '--offline', other], place);
      await writeSettings('other-crm', await aService());
      expect(await failedSync()).toMatchObject({ exitCode: 2, code: 'crm_file_unreadable' });
    });

    function writeSettings(kind: string, { baseUrl, apiKey }: PartnerSandbox): Promise<void> {
      const integration = {
        ...{ id: kind, partner: { baseUrl, apiKey } },
        crm: { kind, path: contacts() },
      };
      return writeFile(
        join(place, 'donor-sync.yaml'),
        JSON.stringify({ database: 'sqlite:sync.db', integrations: [integration] }),
      );
    }

    function sync(): Promise<string> {
      return run(['npx', 'donor-sync', 'sync', '--json'], place);
    }

    /** Runs a sync that cannot start. */
    async function failedSync() {
      const running = start(['npx', 'donor-sync', 'sync', '--json'], options(place));
      const exitCode = await running.ended;
      return { exitCode, ...errorSchema.parse(JSON.parse(running.stdout())).error };
    }
  });

  async function aService(): Promise<PartnerSandbox> {
    const service = await startPartnerSandbox({ donors: 300, rate: 0, jobTimeMs: 0 });
    onTestFinished(() => service.close());
    return service;
  }

  async function compile(...args: string[]): Promise<void> {
    const compiler = join(CHECKOUT, 'node_modules/.bin/tsc');
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'esnext'];
    await run([compiler, ...flags, ...args], place);
  }

  /** Runs npm or npx with the tests' Node but without its compile cache, so that all files are in the folder. */
  function run(words: readonly string[], cwd: string): Promise<string> {
    return runToEnd(words, options(cwd));
  }

  function options(cwd: string) {
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    return { cwd, env: { PATH: path, HOME: folder, TMPDIR: folder }, timeoutMs: TIMEOUT_MS };
  }
});

/**
 * Copies the checkout and its modules into a new folder. Packing builds the product, and the build must not disturb
 * other tests.
 */
async function copySources(target: string): Promise<void> {
  const left = new Set(
    ['node_modules', '.git', 'dist', 'data', 'coverage'].map((name) => join(CHECKOUT, name)),
  );
  await cp(CHECKOUT, target, { recursive: true, filter: (path) => !left.has(path) });
  await bringInstalledModules(CHECKOUT, target);
}

async function readJson(path: string): Promise<unknown> {
  return JSON.parse(await readFile(path, 'utf8'));
}
