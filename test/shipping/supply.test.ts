/** Checks what a release declares about its packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { toPublished } from '../../scripts/published.ts';
import { parseDockerfile } from '../../scripts/replay-dockerfile/dockerfile.ts';
import { billOf, packagesOf, shrinkwrapOf } from '../../scripts/supply.ts';

const ROOT = join(import.meta.dirname, '../..');

const lockSchema = z.looseObject({ packages: z.record(z.string(), z.looseObject({})) });
const lock = lockSchema.parse(JSON.parse(read('package-lock.json')));
const ownSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const own = ownSchema.parse(JSON.parse(read('package.json')));

const lockedSchema = z.object({ version: z.string(), integrity: z.string() });
const composeSchema = z.object({
  services: z.record(z.string(), z.object({ build: z.string().optional(), image: z.string() })),
});

describe('the bill of materials', () => {
  it('lists every package of the program with its version, licence and hash', () => {
    const { components, metadata } = billOf(lock);
    expect(metadata.component.version).toBe(own.version);
    const named = new Map(components.map((each) => [`${each.name}@${each.version}`, each]));
    for (const [name, version] of Object.entries(own.dependencies)) {
      expect(named.get(`${name}@${version}`)).toMatchObject({
        purl: expect.stringContaining(version),
      });
    }
    for (const { hashes, licenses } of components) {
      expect(hashes).toEqual([
        { alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) },
      ]);
      expect(licenses).toHaveLength(1);
    }
    expect(new Set(components.map((each) => each['bom-ref'])).size).toBe(components.length);
  });

  it('names what packages need in turn, as it is installed, and no tool for development', () => {
    const names = packagesOf(lock).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['pg-types', 'sonic-boom']));
    // HubSpot's client lists `@types/node` among its runtime dependencies.
    const inTurn = ['@types/node'];
    expect(Object.keys(own.devDependencies).filter((name) => names.includes(name))).toEqual(inTurn);
    const installed = readdirSync(join(ROOT, 'node_modules'));
    expect(names.filter((name) => !installed.includes(name.split('/')[0] ?? ''))).toEqual([]);
  });

  it('is not made with a package under a licence that was not read', () => {
    const unread = { version: '1.0.0', integrity: 'sha512-AA==', license: 'AGPL-3.0' };
    const packages = { ...lock.packages, 'node_modules/other': unread };
    expect(() => billOf({ ...lock, packages })).toThrow('other 1.0.0 is under AGPL-3.0');
  });
});

describe('the published manifest', () => {
  const published = toPublished(JSON.parse(read('package.json')), ['better-sqlite3', 'pg']);

  it('asks for the packages that the bundle leaves outside, and for the types that it exports', () => {
    const { 'better-sqlite3': driver, pg, zod } = own.dependencies;
    expect(published.dependencies).toEqual({ 'better-sqlite3': driver, pg, zod });
  });

  it('has no scripts, so that nothing runs where it is installed, and nothing for development', () => {
    for (const part of ['scripts', 'devDependencies', 'allowScripts', 'peerDependencies']) {
      expect(published).not.toHaveProperty(part);
    }
    expect(published).toMatchObject({ version: own.version, bin: expect.anything() });
  });

  it('names no package that package.json does not have', () => {
    expect(() => toPublished(JSON.parse(read('package.json')), ['left-pad'])).toThrow('left-pad');
  });
});

describe('the shrinkwrap', () => {
  const asked = { 'better-sqlite3': '13.2.0', pg: '8.23.1' };

  it('has these packages and what they need in turn as they are locked, and no other', () => {
    const { packages, version } = shrinkwrapOf(lock, asked);
    expect(version).toBe(own.version);
    const { '': root, ...others } = packages;
    expect(root).toMatchObject({ dependencies: asked });
    expect(root).not.toHaveProperty('devDependencies');
    const names = Object.keys(others).map((path) => path.replace(/^.*node_modules\//, ''));
    expect(names).toEqual(expect.arrayContaining(['better-sqlite3', 'node-addon-api', 'pg-types']));
    expect(names).not.toContain('jsforce');
    const bill = new Map(packagesOf(lock).map((each) => [`${each.name}@${each.version}`, each]));
    for (const [path, entry] of Object.entries(others)) {
      const { version: each, integrity } = lockedSchema.parse(entry);
      const name = path.replace(/^.*node_modules\//, '');
      expect(bill.get(`${name}@${each}`)).toMatchObject({ integrity });
    }
  });

  it('names no place where a package was taken from', () => {
    const resolved = {
      ...lock.packages['node_modules/pg'],
      resolved: 'file:../elsewhere/pg.tgz',
    };
    const packages = { ...lock.packages, 'node_modules/pg': resolved };
    expect(JSON.stringify(shrinkwrapOf({ ...lock, packages }, asked))).not.toContain('elsewhere');
  });

  it('lies in no checkout, where npm would take it for the lock file', () => {
    const ignored = read('.gitignore').split('\n');
    expect(ignored).toEqual(expect.arrayContaining(['npm-shrinkwrap.json', 'package.json.kept']));
  });
});

describe('the packages', () => {
  it('are named by exact versions', () => {
    const versions = Object.values({ ...own.dependencies, ...own.devDependencies });
    // Matches an exact version. A second version of a package has an alias.
    const exact = /^(npm:[\w@/-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/;
    expect(versions.filter((version) => !exact.test(version))).toEqual([]);
  });
});

describe('the image', () => {
  it('begins with one image of the Node that was tested, by its digest', () => {
    const stages = parseDockerfile(read('Dockerfile'));
    expect(stages.length).toBeGreaterThan(1);
    const bases = new Set(stages.map(({ base }) => base));
    const node = own.devDependencies['node'];
    const pinned = new RegExp(`^node:${node}-slim@sha256:[0-9a-f]{64}$`);
    expect([...bases]).toEqual([expect.stringMatching(pinned)]);
    // A digest takes precedence over the tag before it.
    const steps = stages[0]?.instructions.map(({ text }) => text);
    expect(steps?.[0]).toBe(`RUN test "$(node --version)" = v${node}`);
  });

  it('is run beside images that are named by their digests', () => {
    const { services } = composeSchema.parse(parse(read('compose.yaml'), { merge: true }));
    const others = Object.values(services).flatMap(({ build, image }) => (build ? [] : image));
    expect(others.length).toBeGreaterThan(0);
    const pinned = /^[\w./-]+:\d+(\.\d+)*@sha256:[0-9a-f]{64}$/;
    expect(others.filter((image) => !pinned.test(image))).toEqual([]);
  });

  it('is built without scripts of packages', () => {
    const commands = read('Dockerfile').match(/^RUN .*\bnpm (ci|install|prune)\b.*$/gm) ?? [];
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
  });
});

function read(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8');
}
