/**
 * Describes the contents of the program. It creates a bill of materials (CycloneDX) and a list of all licences. Both
 * come from the lock file, so the same lock file always produces the same result. `npm sbom --omit=dev` cannot be used,
 * because it leaves out packages that development tools also need.
 */
import { z } from 'zod';

const lockedSchema = z.object({
  version: z.string(),
  resolved: z.string().optional(),
  integrity: z.string(),
  license: z.string(),
  dev: z.boolean().optional(),
});

const lockSchema = z.object({
  name: z.string(),
  version: z.string(),
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), z.looseObject({ dev: z.boolean().optional() })),
});

/** Licences that allow a nonprofit to use and pass on the program. A developer has read each of these licences. */
const ALLOWED: ReadonlySet<string> = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', '(MIT OR CC0-1.0)'],
  ...['BlueOak-1.0.0', '0BSD'],
  // The licence of the list of common passwords, which the package contains unchanged
  // (docs/decisions/0025-common-passwords.md).
  ...['MPL-2.0', 'MPL 2.0'],
]);

export interface Package {
  name: string;
  version: string;
  licence: string;
  /** The hash in npm's format, which is the algorithm, a hyphen and base64. */
  integrity: string;
}

/** Returns the packages that run with the program, by name. Throws an error for a licence that is not allowed. */
export function packagesOf(lock: unknown): Package[] {
  const { packages } = lockSchema.parse(lock);
  const found = new Map<string, Package>();
  for (const [path, entry] of Object.entries(packages)) {
    if (path === '') continue;
    const { version, integrity, license: licence, dev = false } = lockedSchema.parse(entry);
    if (dev) continue;
    const name = path.replace(/^.*node_modules\//, '');
    if (!ALLOWED.has(licence)) {
      throw new Error(
        `${name} ${version} is under ${licence}, which scripts/supply.ts does not allow.`,
      );
    }
    found.set(`${name}@${version}`, { name, version, licence, integrity });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Returns the shrinkwrap that `npm install` of the package uses. Therefore, later versions of its dependencies are not
 * installed. It contains these packages of the lock file and their dependencies. It contains no addresses, so npm
 * downloads each package from the registry that the user has configured.
 */
export function shrinkwrapOf(lock: unknown, dependencies: Readonly<Record<string, string>>) {
  const { name, version, lockfileVersion, packages } = lockSchema.parse(lock);
  const { '': root = {} } = packages;
  const { devDependencies: _, ...own } = root;
  const needed = neededBy(packages, dependencies);
  const kept = Object.keys(packages).filter((path) => needed.has(path));
  return {
    ...{ name, version, lockfileVersion, requires: true },
    packages: {
      '': { ...own, dependencies },
      ...Object.fromEntries(
        kept.map((path) => {
          const { resolved: __, ...rest } = packages[path] ?? {};
          return [path, rest];
        }),
      ),
    },
  };
}

const needsSchema = z.looseObject({
  dependencies: z.record(z.string(), z.string()).default({}),
  optionalDependencies: z.record(z.string(), z.string()).default({}),
});

/** Returns the places of these packages, and of all their dependencies, in a lock file. */
function neededBy(
  packages: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>>,
): Set<string> {
  const found = new Set<string>();
  const left = Object.keys(names).map((name) => ({ name, from: '' }));
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const path = placeOf(packages, next);
    if (path === null || found.has(path)) continue;
    found.add(path);
    const { dependencies, optionalDependencies } = needsSchema.parse(packages[path]);
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      left.push({ name, from: path });
    }
  }
  return found;
}

/**
 * Returns the place in the lock file where a package finds another package. It first looks in its own folder, and then
 * in the folders above.
 */
function placeOf(
  packages: Readonly<Record<string, unknown>>,
  { name, from }: { name: string; from: string },
): string | null {
  for (let folder = from; ; folder = folder.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, '')) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (Object.hasOwn(packages, path)) return path;
    if (folder === '') return null;
  }
}

/** Returns the bill of materials of the program, as CycloneDX 1.6 in JSON. */
export function billOf(lock: unknown) {
  const { name, version } = lockSchema.parse(lock);
  const own = { type: 'application', name, version, purl: purlOf({ name, version }) };
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: { 'bom-ref': own.purl, ...own, licenses: [{ license: { id: 'MIT' } }] },
    },
    components: packagesOf(lock).map((each) => ({
      type: 'library',
      'bom-ref': purlOf(each),
      name: each.name,
      version: each.version,
      purl: purlOf(each),
      licenses: [licenceOf(each)],
      hashes: [hashOf(each)],
    })),
  };
}

function purlOf({ name, version }: Pick<Package, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

/** A choice between several licences is an expression, and a single licence has an ID. */
function licenceOf({ licence }: Package) {
  return licence.startsWith('(') ? { expression: licence } : { license: { id: licence } };
}

function hashOf({ integrity }: Package) {
  const [algorithm = '', hash = ''] = integrity.split(/-(.*)/);
  const content = Buffer.from(hash, 'base64').toString('hex');
  return { alg: algorithm.toUpperCase().replace('SHA', 'SHA-'), content };
}
