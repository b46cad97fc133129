import { execFile } from 'node:child_process';
import { chmod, cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const CHECKOUT = join(import.meta.dirname, '../..');

/** The files from which the product is built. They include the stand-ins, because `donor-sync demo` needs them. */
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

/**
 * Builds the product in a separate folder. Tests need a build because Node cannot run the pages, which are written in
 * JSX.
 */
export async function buildProduct(): Promise<{ main: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'donor-sync-built-'));
  // Users without special permissions also run the program.
  await chmod(folder, 0o755);
  for (const name of SOURCES) {
    await cp(join(CHECKOUT, name), join(folder, name), { recursive: true });
  }
  await symlink(join(CHECKOUT, 'node_modules'), join(folder, 'node_modules'));
  // Omits the type declarations. They take most of the build's time, and the program does not need them.
  for (const script of ['scripts/bundle.ts', 'scripts/finish-build.ts', 'scripts/docs.ts']) {
    await promisify(execFile)(process.execPath, [script], { cwd: folder });
  }
  return {
    main: join(folder, 'dist/src/main.js'),
    remove: () => rm(folder, { recursive: true }),
  };
}
