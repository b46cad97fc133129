import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';

const ROOT = join(import.meta.dirname, '../..');

/** By then, an interrupted run has ended. */
const STOP_SECONDS = 10;

const serviceSchema = z.object({
  services: z.object({
    'donor-sync': z.object({
      ports: z.tuple([z.string()]),
      volumes: z.tuple([z.string()]),
      stop_grace_period: z.string().regex(/^\d+s$/),
    }),
  }),
});

const { services } = serviceSchema.parse(parse(read('compose.yaml')));
const compose = services['donor-sync'];
const instructions = parseDockerfile(read('Dockerfile')).at(-1)?.instructions ?? [];

describe('compose.yaml', () => {
  it('publishes the port of the image, on this machine alone', () => {
    const [port] = instructions.flatMap((each) => (each.kind === 'EXPOSE' ? each.values : []));
    expect(compose.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  });

  it('has a folder for the volume of the image', () => {
    const [volume] = instructions.flatMap((each) => (each.kind === 'VOLUME' ? each.values : []));
    expect(compose.volumes).toEqual([`./data:${volume}`]);
  });

  it('leaves more time than a stop takes, as does the unit of systemd', () => {
    const [, unitSeconds] = /^TimeoutStopSec=(\d+)$/m.exec(read('deploy/donor-sync.service')) ?? [];
    expect(Number.parseInt(compose.stop_grace_period, 10)).toBeGreaterThan(STOP_SECONDS);
    expect(Number(unitSeconds)).toBeGreaterThan(STOP_SECONDS);
  });
});

describe('a container of compose.yaml', () => {
  const { services: all } = z
    .object({
      services: z.record(z.string(), z.object({ pids_limit: z.int(), mem_limit: z.string() })),
    })
    .parse(parse(read('compose.yaml'), { merge: true }));

  it.each(Object.keys(all))(
    'cannot take the machine from others, by processes or by memory: %s',
    (name) => {
      expect(all[name]?.pids_limit).toBeLessThanOrEqual(512);
      expect(all[name]?.mem_limit).toMatch(/^[1-4]g$/);
    },
  );
});

describe('the profile service of compose.yaml', () => {
  const own = z
    .object({
      services: z.object({
        service: z.object({
          profiles: z.array(z.string()),
          command: z.array(z.string()),
          volumes: z.array(z.string()),
          env_file: z.array(z.string()),
        }),
      }),
    })
    .parse(parse(read('compose.yaml'), { merge: true })).services.service;

  it('serves from a file of its own, and is given no key of a CRM', () => {
    expect(own.profiles).toEqual(['service']);
    expect(own.command.slice(0, 4)).toEqual(['service', 'serve', '--db', '/data/service.db']);
    expect(own.volumes).toEqual(['./service:/data']);
    expect(own.env_file).toEqual([]);
  });
});

describe('the unit of systemd', () => {
  it('leaves no core file, which would hold the keys in clear', () => {
    expect(read('deploy/donor-sync.service')).toMatch(/^\[Service\][^[]*^LimitCORE=0$/m);
  });

  it.each([
    'ProcSubset=pid',
    'ProtectProc=invisible',
    'PrivateUsers=yes',
    'CapabilityBoundingSet=',
  ])('shows the process nothing of others: %s', (line) => {
    expect(read('deploy/donor-sync.service').split('\n')).toContain(line);
  });
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
