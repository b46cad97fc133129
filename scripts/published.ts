/** What is published besides the program: its manifest, with the packages that are installed with it. */
import { z } from 'zod';

const manifestSchema = z.looseObject({ dependencies: z.record(z.string(), z.string()) });

/** Parts of package.json that are of use in a checkout alone. */
const OF_CHECKOUT = ['scripts', 'devDependencies', 'allowScripts'];

/** Their types are part of what the package exports; the program itself has them inside. */
const FOR_TYPES = ['zod'];

/** The manifest of the package: its dependencies are `outside`, the packages that the bundle leaves outside. */
export function toPublished(manifest: unknown, outside: readonly string[]) {
  const { dependencies: all, ...own } = manifestSchema.parse(manifest);
  const dependencies = Object.fromEntries(
    [...outside, ...FOR_TYPES].sort().map((name) => {
      const version = all[name];
      if (version === undefined) throw new Error(`${name} is no dependency in package.json.`);
      return [name, version];
    }),
  );
  const kept = Object.entries(own).filter(([name]) => !OF_CHECKOUT.includes(name));
  return { ...Object.fromEntries(kept), dependencies };
}
