/**
 * Determines which modules are bundled into one file. By default, the bundler creates a separate file for each
 * combination of entries that use the same modules. With many commands, this would produce many small files, and each
 * file would delay the start of a command.
 */
import { join } from 'node:path';
import type { CodeSplittingGroup, Plugin } from 'rolldown';

const PROGRAM = 'src/main.ts';

/**
 * The modules that every command loads to print its help, and the modules that every command loads when it opens the
 * product. `src/main.ts` belongs to neither group, because it waits for modules of the first group.
 */
const STARTS = ['src/wiring.ts', 'src/interfaces/cli/commands.ts'];
const PRODUCTS = [
  'src/wired-deps.ts',
  'src/application.ts',
  'src/interfaces/cli/action/operation-command.ts',
  'src/operations/status.ts',
];

interface Grouping {
  /** A plugin that records which modules each module imports. */
  plugin: Plugin;
  groups: CodeSplittingGroup[];
}

/**
 * Groups the modules. If an entry other than the program also imports a module, the module stays in a separate file.
 */
export function createGrouping(root: string): Grouping {
  const start = new Set<string>();
  const product = new Set<string>();
  return {
    plugin: {
      name: 'group-modules',
      buildEnd() {
        const collect = (ids: readonly string[], without: ReadonlySet<string>) => {
          const found = new Set<string>();
          const next = [...ids];
          for (let id = next.pop(); id !== undefined; id = next.pop()) {
            if (found.has(id) || without.has(id)) continue;
            found.add(id);
            next.push(...(this.getModuleInfo(id)?.importedIds ?? []));
          }
          return found;
        };
        const toId = (file: string) => join(root, file);
        const isOther = (id: string) => id !== toId(PROGRAM) && this.getModuleInfo(id)?.isEntry;
        const apart = collect([...this.getModuleIds()].filter(isOther), new Set());
        for (const id of collect(STARTS.map(toId), apart)) start.add(id);
        const before = new Set([...apart, ...start]);
        for (const id of collect(PRODUCTS.map(toId), before)) product.add(id);
      },
    },
    // A group also contains the modules that its modules import, unless their file imports no group. Therefore, no file
    // imports itself through other files.
    groups: [
      { name: 'start', test: (id) => start.has(id), includeDependenciesRecursively: false },
      { name: 'product', test: (id) => product.has(id), includeDependenciesRecursively: false },
    ],
  };
}
