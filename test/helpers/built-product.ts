import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The inputs of a build. The stand-ins are included for `donor-sync demo`. */
const SOURCES = [
  ...[
    'src',
    'connectors',
    'migrations',
    'people',
    'service',
    'sandbox',
    'testbed',
    'scripts',
    'config',
    'docs',
    'deploy',
  ],
  ...[
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.build.json',
    'README.md',
    'LICENSE',
  ],
];

/** Creates the built product, in a separate folder: pages are written in JSX, which Node does not read. */
export async function buildProduct(): Promise<{ main: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-built-'));
  // Users without rights also run it.
  await chmod(folder, 0o755);
  for (const name of SOURCES) {
    await cp(join(CHECKOUT, name), join(folder, name), { recursive: true });
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  // The build's types, which take most of its time, are not needed by the program.
  for (const script of ['scripts/bundle.ts', 'scripts/finish-build.ts', 'scripts/docs.ts']) {
    await promisify(execFile)(process.execPath, [script], { cwd: folder });
  }
  return {
    main: join(folder, 'dist/src/main.js'),
    remove: () => rm(folder, { recursive: true }),
  };
}
