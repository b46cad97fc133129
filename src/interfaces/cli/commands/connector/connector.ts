import { readFile, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { isPackageName } from '../../../../../connectors/index.ts';
import { ConfigurationError } from '../../../../core/errors.ts';
import { ownFile } from '../../../../core/own-file.ts';
import { type CommandDeps, createCommand, runAction } from '../../action/command.ts';
import { requireEmptyFolder } from '../../action/empty-folder.ts';
import { EXIT_CODES, type ExitCode, type Output } from '../../terminal/output.ts';

const EXAMPLES = `
Examples:
  donor-sync connector new my-crm
  donor-sync connector new packages/my-crm --json    for scripts: { "connector": {...} }

The name of the folder becomes the name of the package, and crm.kind in the settings.`;

export interface ConnectorDeps extends CommandDeps {
  cwd: string;
}

export function connectorCommand(deps: ConnectorDeps): Command {
  return createCommand('connector', deps)
    .description('create a connector for another kind of CRM')
    .addHelpText('after', EXAMPLES)
    .addCommand(newCommand(deps));
}

function newCommand(deps: ConnectorDeps): Command {
  const command = createCommand('new', deps)
    .description('write a package with a working connector and its tests')
    .argument('<dir>', 'an empty or new folder');
  return command.action((dir: string) =>
    runAction(deps, command, (output) => writeSkeleton(output, resolve(deps.cwd, dir))),
  );
}

/** The placeholder in the skeleton's files. The connector's name replaces the placeholder. */
const PLACEHOLDER = 'my-crm';

async function writeSkeleton(output: Output, folder: string): Promise<ExitCode> {
  const name = basename(folder);
  requireName(name);
  await requireEmptyFolder(folder);
  const files = {
    'package.json': manifest(name),
    'index.js': await skeleton('connector.js', name),
    'crm.js': await skeleton('crm.js', name),
    'index.test.js': await skeleton('kit.js', name),
    'README.md': await skeleton('README.md', name),
  };
  for (const [file, text] of Object.entries(files)) await writeFile(join(folder, file), text);
  output.finish({ connector: { name, folder, files: Object.keys(files) } }, () => {
    output.print(`The connector "${name}" is in ${folder}: ${Object.keys(files).join(', ')}.`);
    output.print(
      `To test it, run npm test in that folder. To use it, run next to donor-sync: npm install ${folder}, and set`,
    );
    output.print(`crm: { kind: ${name}, path: contacts.json } in the settings. See README.md.`);
  });
  return EXIT_CODES.done;
}

function requireName(name: string): void {
  if (isPackageName(name)) return;
  throw new ConfigurationError(
    `"${name}" cannot be the name of a package. Choose a folder name with lower-case letters, digits and hyphens. It must not be the name of a built-in connector.`,
    { code: 'connector_name_invalid', details: { name } },
  );
}

async function skeleton(file: string, name: string): Promise<string> {
  const text = await readFile(
    ownFile(`src/interfaces/cli/commands/connector/skeleton/${file}`),
    'utf8',
  );
  return text.replaceAll(PLACEHOLDER, name);
}

function manifest(name: string): string {
  const document = {
    name,
    version: '0.1.0',
    private: true,
    type: 'module',
    exports: './index.js',
    scripts: { test: 'node --test' },
    engines: { node: '>=22.19.0' },
    peerDependencies: { 'donor-sync': '*' },
    // donor-sync is already installed next to the connector package.
    peerDependenciesMeta: { 'donor-sync': { optional: true } },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
