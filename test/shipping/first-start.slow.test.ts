/**
 * Follows the guides for compose, systemd and Kubernetes from the first start until an owner has signed in. Commands,
 * variables, folders and settings come from the shipped files. The test does not cover the work of the container
 * engine, systemd or the cluster.
 */
import { readFileSync } from 'node:fs';
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readSample, renderChart } from '../../scripts/check-chart/chart.ts';
import { workloadsOf } from '../../scripts/check-chart/references.ts';
import { userOf } from '../../scripts/replay-dockerfile/base-image.ts';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';
import { runToEnd, start } from '../../scripts/replay-dockerfile/process.ts';
import { builtProgram } from '../helpers/built-program.ts';
import { SECRET_KEY } from '../helpers/cli.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { freshPostgresUrl } from '../helpers/test-databases.ts';
import { walkToOwner } from './first-start/first-owner.ts';

const ROOT = join(import.meta.dirname, '../..');
const COMMAND_TIMEOUT_MS = 60_000;
/** The port that all shipped files use. */
const SHIPPED_PORT = '8787';

let folder: string;
let port: number;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'donor-sync-first-start-'));
  await chmod(folder, 0o755);
  port = await findFreePort();
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('the first start with compose.yaml', () => {
  const { services } = z
    .object({
      services: z.record(z.string(), z.object({ command: z.array(z.string()).optional() })),
    })
    .parse(parse(read('compose.yaml'), { merge: true }));
  const instructions = parseDockerfile(read('Dockerfile')).at(-1)?.instructions ?? [];
  const variables = instructions.flatMap((each) =>
    each.kind === 'ENV' ? [each.variables] : [],
  )[0];
  const ownCommand = instructions.flatMap((each) =>
    each.kind === 'CMD' && each.command.form === 'exec' ? each.command.words : [],
  );

  it('leads to an owner who is signed in, with SQLite', async () => {
    const data = await aFolder('data', 0o755);
    const container = await containerIn(data, {
      environment: { DONOR_SYNC_CONFIG: String(variables?.['DONOR_SYNC_CONFIG']) },
      volumes: { '/data': data },
    });
    await writeFile(join(data, 'donor-sync.yaml'), settingsWith('sqlite:data/donor-sync.db'));
    await expect(readdir(join(data, 'data'))).rejects.toThrow();
    await walkToOwner({
      ...{ port, publicUrl: `http://127.0.0.1:${port}`, run: container.run },
      serve: () => container.start(services['donor-sync']?.command ?? ownCommand),
    });
    expect(await readdir(join(data, 'data'))).toContain('donor-sync.db');
  });

  it('leads to an owner who is signed in, with many containers over Postgres', async () => {
    const data = await aFolder('data', 0o755);
    const container = await containerIn(data, {
      environment: {
        DONOR_SYNC_CONFIG: String(variables?.['DONOR_SYNC_CONFIG']),
        DONOR_SYNC_SECRET_KEY: SECRET_KEY,
      },
      volumes: { '/data': data },
    });
    await writeFile(join(data, 'donor-sync.yaml'), settingsWith(await freshPostgresUrl()));
    await container.run(services['migrate']?.command ?? []);
    const worker = container.start(services['worker']?.command ?? []);
    await walkToOwner({
      ...{ port, publicUrl: `http://127.0.0.1:${port}`, run: container.run },
      serve: () => container.start(services['web']?.command ?? []),
    });
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
  });
});

describe('the first start with the unit of systemd', () => {
  const unit = new Map(
    [...read('deploy/donor-sync.service').matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [
      name ?? '',
      value ?? '',
    ]),
  );

  it('leads to an owner who is signed in, and leaves files in its own folder that only its user can read', async () => {
    const state = await aFolder(
      'var/lib/donor-sync',
      Number.parseInt(unit.get('StateDirectoryMode') ?? '', 8),
    );
    const bin = await aFolder('usr/local/bin', 0o755);
    // The program is installed as the guide describes.
    await symlink(await builtProgram(), join(bin, 'donor-sync'));
    const path = [bin, dirname(process.execPath), '/usr/bin', '/bin'].join(delimiter);
    await writeFile(join(state, 'donor-sync.yaml'), settingsWith('sqlite:data/donor-sync.db'));
    const options = {
      cwd: state,
      env: { PATH: path, DONOR_SYNC_CONFIG: join(state, 'donor-sync.yaml') },
      user: userOf('node'),
    };
    const underMask = (words: readonly string[]) => [
      ...['/bin/sh', '-c', `umask ${unit.get('UMask')}; exec "$@"`, 'sh', ...words],
    ];
    expect(unit.get('WorkingDirectory')).toBe(`/var/lib/${unit.get('StateDirectory')}`);
    await walkToOwner({
      ...{ port, publicUrl: `http://127.0.0.1:${port}` },
      run: (args) =>
        runToEnd(underMask(['donor-sync', ...args]), { ...options, timeoutMs: COMMAND_TIMEOUT_MS }),
      serve: () => start(underMask(unit.get('ExecStart')?.split(' ') ?? []), options),
    });
    const files = (await readdir(state, { recursive: true, withFileTypes: true })).filter(
      (entry) => entry.isFile() && entry.name !== 'donor-sync.yaml',
    );
    expect(files.length).toBeGreaterThan(1);
    for (const { parentPath, name } of files) {
      expect((await stat(join(parentPath, name))).mode & 0o077, name).toBe(0);
    }
  });
});

describe('the first start with the Helm chart', () => {
  it('leads to an owner who is signed in, behind an Ingress with TLS', async () => {
    const publicUrl = 'https://sync.example.org';
    const text = [
      `database: "${await freshPostgresUrl()}"`,
      'erasureLog: /data/erasures',
      `server: { publicUrl: "${publicUrl}", trustedProxies: [127.0.0.0/8] }`,
      'integrations: []',
    ].join('\n');
    const { objects, notes } = renderChart({
      ...readSample('full-values.yaml'),
      settings: { text },
    });
    const containers = new Map(
      workloadsOf(objects).map(({ object, container }) => [object.metadata.name, container]),
    );
    const settings = await aFolder('settings', 0o755);
    const maps = objects.filter(({ kind }) => kind === 'ConfigMap');
    const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(maps[0]);
    for (const [name, content] of Object.entries(data)) {
      await writeFile(join(settings, name), content.replace('/data', join(folder, 'data')));
    }
    const pod = async (name: string) => {
      const { args, env } = containerSchema.parse(containers.get(name));
      const environment = Object.fromEntries(env.map((each) => [each.name, each.value]));
      delete environment['NODE_EXTRA_CA_CERTS'];
      const volumes = {
        '/etc/donor-sync/settings': settings,
        '/data': await aFolder('data', 0o755),
      };
      const secrets = { DONOR_SYNC_SECRET_KEY: SECRET_KEY };
      return {
        args,
        ...(await containerIn(folder, { environment: { ...environment, ...secrets }, volumes })),
      };
    };
    const [migrate, web, worker] = await Promise.all(
      ['donors-migrate', 'donors-web', 'donors-worker'].map(pod),
    );
    if (!migrate || !web || !worker) throw new Error('the chart makes three workloads');
    await migrate.run(migrate.args);
    // Until a user exists, the web pods exit and are restarted.
    const early = web.start(web.args, '0.0.0.0');
    expect(await early.ended).toBe(2);
    expect(early.output()).toContain('there are no users or access tokens yet');
    expect(notes).toContain('users invite --name NAME --email ADDRESS --role owner');
    const working = worker.start(worker.args);
    await walkToOwner({ port, publicUrl, run: worker.run, serve: () => web.start(web.args) });
    working.child.kill('SIGTERM');
    expect(await working.ended).toBe(0);
  });
});

const containerSchema = z.object({
  args: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
});

/**
 * Simulates a container of the image with only its program, its user and its variables. Folders on this machine
 * replace volumes. The program listens on a free loopback port, unless `host` is a different address.
 */
async function containerIn(
  cwd: string,
  {
    environment,
    volumes,
  }: { environment: Record<string, string>; volumes: Record<string, string> },
) {
  const program = [process.execPath, await builtProgram()];
  const here = (text: string) =>
    Object.entries(volumes).reduce((left, [path, own]) => left.replace(path, own), text);
  const env = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, here(value)]),
  );
  const options = { cwd, env: { PATH: '/usr/bin:/bin', ...env }, user: userOf('node') };
  const adapted = (args: readonly string[], host: string) =>
    args.map((word) => (word === SHIPPED_PORT ? String(port) : word === '0.0.0.0' ? host : word));
  return {
    run: (args: readonly string[]) =>
      runToEnd([...program, ...args], { ...options, timeoutMs: COMMAND_TIMEOUT_MS }),
    start: (args: readonly string[], host = '127.0.0.1') =>
      start([...program, ...adapted(args, host)], options),
  };
}

/** Creates a folder inside the test's folder. The unprivileged user can write to the new folder. */
async function aFolder(path: string, mode: number): Promise<string> {
  const made = join(folder, path);
  await mkdir(made, { recursive: true });
  await chmod(made, mode);
  const user = userOf('node');
  if (user !== null) await chown(made, user.uid, user.gid);
  return made;
}

function settingsWith(database: string): string {
  return `database: "${database}"\nserver: { publicUrl: "http://127.0.0.1:${port}", port: ${port} }\nintegrations: []\n`;
}

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
