/** The parts of the package in addition to the program: its manifest, with the packages that are installed with it. */
import { z } from 'zod';

const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/** Parts of package.json that are useful only in a checkout. */
const OF_CHECKOUT = ['scripts', 'devDependencies', 'allowScripts'];

/** Their types are part of the package's exports. The program itself contains their code. */
const FOR_TYPES = ['zod'];

/** Returns the manifest of the package. Its dependencies are `outside`, the packages that are not in the bundle. */
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
