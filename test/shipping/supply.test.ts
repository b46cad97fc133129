/** What a version says of its packages. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { billOf, packagesOf } from '../../scripts/supply.ts';

const ROOT = join(import.meta.dirname, '../..');

const lockSchema = z.looseObject({ packages: z.record(z.string(), z.looseObject({})) });
const lock = lockSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
const ownSchema = z.object({
  version: z.string(),
  dependencies: z.record(z.string(), z.string()),
  devDependencies: z.record(z.string(), z.string()),
});
const own = ownSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));

describe('the bill of materials', () => {
  it('names every package of the program, with version, licence and hash', () => {
    const { components, metadata } = billOf(lock);
    expect(metadata.component.version).toBe(own.version);
    const named = new Map(components.map((each) => [each.name, each]));
    for (const [name, version] of Object.entries(own.dependencies)) {
      expect(named.get(name)).toMatchObject({ version, purl: expect.stringContaining(version) });
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
    expect(Object.keys(own.devDependencies).filter((name) => names.includes(name))).toEqual([]);
    const installed = readdirSync(join(ROOT, 'node_modules'));
    expect(names.filter((name) => !installed.includes(name.split('/')[0] ?? ''))).toEqual([]);
  });

  it('is not made with a package under a licence that was not read', () => {
    const unread = { version: '1.0.0', integrity: 'sha512-AA==', license: 'AGPL-3.0' };
    const packages = { ...lock.packages, 'node_modules/other': unread };
    expect(() => billOf({ ...lock, packages })).toThrow('other 1.0.0 is under AGPL-3.0');
  });
});

describe('the packages', () => {
  it('are named by exact versions', () => {
    const versions = Object.values({ ...own.dependencies, ...own.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });
});

describe('the image', () => {
  it('begins with an image of an exact version', () => {
    const bases = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').match(/^FROM .*$/gm) ?? [];
    expect(bases.length).toBeGreaterThan(1);
    expect(
      bases.filter(
        (base) => !/^FROM node:\d+\.\d+\.\d+-slim(@sha256:[0-9a-f]{64})?( AS \w+)?$/.test(base),
      ),
    ).toEqual([]);
  });

  it('is built without scripts of packages', () => {
    const commands =
      readFileSync(join(ROOT, 'Dockerfile'), 'utf8').match(/^RUN npm (ci|install|prune).*$/gm) ??
      [];
    expect(commands.length).toBeGreaterThan(1);
    expect(commands.filter((command) => !command.includes('--ignore-scripts'))).toEqual([]);
  });
});
