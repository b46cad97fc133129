import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import { ConfigurationError } from '../../../core/errors.ts';
import { ownFile } from '../../../core/own-file.ts';
import { withoutSlash } from '../../../outbound/address.ts';
import { readAddresses } from '../../../people/server-address.ts';
import { requireEmptyFolder } from '../action/empty-folder.ts';
import { toOperationDeps } from '../action/operation-asking.ts';
import { topicCommand } from '../action/operation-command.ts';
import { baseOptions, type ProductDeps, productAction, productCommand } from '../action/product.ts';
import { EXIT_CODES, type Output } from '../terminal/output.ts';
import { describeCount } from '../terminal/words.ts';

const EXAMPLES = `
Examples:
  donor-sync hubspot app --out donor-sync-app

It sends no request to HubSpot. Each installation has a separate app, because installations that share an app would share
its secret.`;

/** The address in the repository's files. The installation's own address replaces this address. */
const PLACEHOLDER = 'https://sync.example.org';

const appOptions = baseOptions.extend({ out: z.string() });

const NEXT = [
  'Install its packages, and check the card: npm install --prefix src/app/cards && npm --prefix src/app/cards run check',
  'Sign in to HubSpot with its command line (hs account auth), and upload the project: hs project upload',
  'In HubSpot, under Development, install the app "donor-sync", and copy its app ID and its client secret from the Auth tab.',
  'Add both to the settings (hubspot.appId, hubspot.clientSecret), and restart donor-sync serve.',
  'Add the card to a tab of the contact record: Settings, Objects, Contacts, Record customization.',
  'Each user follows the link on the card once, and signs in to donor-sync.',
];

/** Creates the command for the app with which HubSpot's pages call this installation. */
export function hubspotCommand(deps: ProductDeps): Command {
  return topicCommand(
    deps,
    'hubspot',
    'Write the app with the card and the workflow action for HubSpot',
    [appCommand(deps)],
  );
}

function appCommand(deps: ProductDeps): Command {
  const command = productCommand('app', deps)
    .description("Write the app's developer project, with the address of this installation")
    .requiredOption('--out <dir>', 'an empty or new folder')
    .addHelpText('after', EXAMPLES);
  return productAction(deps, command, appOptions, async (action) => {
    const { application, options, output, settings } = action;
    const world = toOperationDeps(deps, application, settings);
    const { url } = await readAddresses(application.store.reader, {
      publicUrl: world.publicUrl,
      hasOwnUrl: world.hasOwnUrl ?? false,
    });
    requireSafe(url);
    const folder = resolve(deps.cwd, options.out);
    await requireEmptyFolder(folder);
    const files = await writeApp(folder, url);
    finish(output, { folder, url, files });
    return EXIT_CODES.done;
  });
}

/** Throws an error unless the address is HTTPS. HubSpot refuses other addresses, so the card would not work. */
function requireSafe(url: string): void {
  if (url.startsWith('https://')) return;
  throw new ConfigurationError(
    `HubSpot calls only https addresses, and the address of this installation is ${url}. No file was written. Set server.publicUrl to an https address, or confirm one: donor-sync address set URL.`,
    { code: 'door_address_unsafe', details: { url } },
  );
}

/** Writes the app's files for this address. Returns their paths. */
async function writeApp(folder: string, url: string): Promise<string[]> {
  const source = ownFile('deploy/hubspot');
  const entries = await readdir(source, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(source, join(entry.parentPath, entry.name)))
    .filter((path) => !path.split(/[\\/]/).includes('node_modules'))
    .toSorted();
  const address = withoutSlash(url);
  for (const path of paths) {
    const text = await readFile(join(source, path), 'utf8');
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    // HubSpot allows the app to call an origin. The address itself may also contain a path.
    const written = path.endsWith('app-hsmeta.json')
      ? text.replaceAll(PLACEHOLDER, new URL(address).origin)
      : text.replaceAll(PLACEHOLDER, address);
    await writeFile(target, written);
  }
  return paths;
}

function finish(
  output: Output,
  { folder, url, files }: { folder: string; url: string; files: string[] },
): void {
  output.finish({ app: { folder, url, files, next: NEXT } }, () => {
    output.print(`${describeCount(files.length, 'file')} for ${url} in ${folder}.`);
    output.print('In that folder:');
    for (const [at, step] of NEXT.entries()) output.print(`  ${at + 1}. ${step}`);
  });
}
