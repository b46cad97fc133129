/**
 * Creates the manifest and the shrinkwrap of the published package. The manifest names the packages that are installed
 * together with it.
 */
import { z } from 'zod';

const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/** Parts of package.json that are useful only in a checkout. */
const OF_CHECKOUT = ['scripts', 'devDependencies', 'allowScripts'];

/** Packages whose types are part of the package's exports. Their code is part of the program. */
const FOR_TYPES = ['zod'];

/**
 * Returns the package's manifest. Its dependencies are the packages in `outside`, which the bundle does not contain.
 */
export function toPublished(manifest: unknown, outside: readonly string[]) {
  const { dependencies: all, ...own } = manifestSchema.parse(manifest);
  const dependencies = Object.fromEntries(
    [...outside, ...FOR_TYPES].sort().map((name) => {
      const version = all[name];
      if (version === undefined) throw new Error(`${name} is not a dependency in package.json.`);
      return [name, version];
    }),
  );
  const kept = Object.entries(own).filter(([name]) => !OF_CHECKOUT.includes(name));
  return { ...Object.fromEntries(kept), dependencies };
}
