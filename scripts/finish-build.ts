/** Makes the build steps that neither the compiler nor the bundler makes. `npm run build` runs this script. */
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import {
  createCompletions,
  createManualPage,
} from '../src/interfaces/cli/commands/completion/files.ts';
import { loadCommands } from '../src/interfaces/cli/commands.ts';
import { createProgram } from '../src/interfaces/cli/program.ts';
import { createDeps } from '../src/wired-deps.ts';
import { copyPackageFiles } from './package-files.ts';
import { billOf, packagesOf } from './supply.ts';

const ROOT = join(import.meta.dirname, '..');
const DIST = join(ROOT, 'dist');

/** The files that the code reads without changes (src/core/own-file.ts). */
const READ_AS_THEY_ARE = [
  'src/**/*.{css,csv,js,svg}',
  'src/interfaces/cli/commands/connector/skeleton/*.md',
];

for (const file of globSync(READ_AS_THEY_ARE, { cwd: ROOT })) {
  cpSync(join(ROOT, file), join(DIST, file));
}

// The command `donor-sync hubspot app` writes copies of these files for an installation.
cpSync(join(ROOT, 'deploy/hubspot'), join(DIST, 'deploy/hubspot'), { recursive: true });
copyPackageFiles(join(DIST, 'packages'));

/**
 * The manifest marks the top folder of the built program. All other members of the manifest have a meaning only in the
 * package's top folder.
 */
const manifestSchema = z.object({ name: z.string(), version: z.string(), type: z.string() });

const kept = manifestSchema.parse(JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')));
write('package.json', kept);

const lock: unknown = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
write('sbom.cdx.json', billOf(lock));
const licences = packagesOf(lock).map(({ name, version, licence }) => ({ name, version, licence }));
write('licences.json', licences);

const { version } = kept;
const { program, commands } = await loadProgram();
mkdirSync(join(DIST, 'completions'), { recursive: true });
for (const [shell, script] of Object.entries(createCompletions(program, commands))) {
  writeFileSync(join(DIST, `completions/donor-sync.${shell}`), script);
}
writeFileSync(join(DIST, 'donor-sync.1'), createManualPage(program, commands, version));

chmodSync(join(DIST, 'src/main.js'), 0o755);

/** Loads the whole command line with every command, but does not run any command. */
async function loadProgram() {
  const deps = createDeps({ setExitCode: () => {} });
  const program = await createProgram({ ...deps, loadDeps: async () => deps }, version, []);
  return { program, commands: await loadCommands(deps) };
}

function write(file: string, content: unknown): void {
  writeFileSync(join(DIST, file), `${JSON.stringify(content, null, 2)}\n`);
}
