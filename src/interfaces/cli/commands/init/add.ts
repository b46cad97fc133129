import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { isMap, isSeq, parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';
import { ConfigurationError } from '../../../../core/errors.ts';
import { withEnvironmentFile } from '../../../../settings/environment-file.ts';
import { interpolate } from '../../../../settings/interpolation.ts';
import { settingsPath, unreadableSettings } from '../../../../settings/settings.ts';
import { createCommand, runAction } from '../../action/command.ts';
import type { Output } from '../../terminal/output.ts';
import type { Answers, PresentSettings } from './answers.ts';
import { collectAnswers } from './collect-answers.ts';
import { type InitFlags, initFlagsSchema, withAnswerOptions } from './flags.ts';
import { checkDraft, chooseAsker, createSurroundings, type InitDeps, report } from './init.ts';
import { integrationText, type Target } from './settings-text.ts';
import { showPersons } from './show-persons.ts';

const EXAMPLES = `
Examples:
  donor-sync add
  donor-sync add --yes --crm hubspot --name "Lakeside Clinic"
  donor-sync add --yes --crm csv --csv-path lakeside.csv --id lakeside

Comments and the order of the settings do not change. The new client uses the service and the key of the first
client, unless you give another key.`;

export function addCommand(deps: InitDeps): Command {
  const command = createCommand('add', deps)
    .description('ask a few questions and add a client to the settings file')
    .option('--config <file>', 'the settings file (default: DONOR_SYNC_CONFIG or donor-sync.yaml)');
  withAnswerOptions(command).addHelpText('after', EXAMPLES);
  return command.action(() =>
    runAction(deps, command, async (output) => {
      await add(deps, initFlagsSchema.parse(command.optsWithGlobals()), output);
    }),
  );
}

async function add(deps: InitDeps, flags: InitFlags, output: Output): Promise<void> {
  const path = settingsPath(flags.config, deps.env);
  const target = { path: resolve(deps.cwd, path), cwd: deps.cwd };
  const before = await readSettings(target.path, path);
  const asker = chooseAsker(deps, flags);
  const env = await withEnvironmentFile({ ...deps, path });
  const present = presentSettings(before, path);
  const answers = await collectAnswers(asker, flags, createSurroundings(deps, env, present, path));
  const draft = { deps, flags, output, asker, env, path };
  const checked = await checkDraft(draft, answers, (complete) =>
    withIntegration(before, complete, target),
  );
  const showing = { deps, output, asker: flags.yes ? null : asker };
  const persons = await showPersons(showing, checked.integration);
  await replaceSettings(target.path, before, checked.text);
  await report(draft, { ...checked, persons, verb: `Added "${answers.id}" to` });
}

async function readSettings(file: string, path: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw unreadableSettings(path, cause);
  }
}

/** Returns the settings in the file without changes. Variables are not replaced. */
function presentSettings(text: string, path: string): PresentSettings {
  const list = readIntegrations(text, path);
  const entries = list.items.filter((item) => isMap(item));
  const [first] = entries;
  const url = first === undefined ? null : textAt(first, ['partner', 'baseUrl']);
  const key = first === undefined ? null : textAt(first, ['partner', 'apiKey']);
  const keyVariable = /^\$\{(\w+)\}$/.exec(key ?? '')?.[1];
  return {
    ids: new Set(entries.flatMap((entry) => textAt(entry, ['id']) ?? [])),
    variables: new Set(interpolate(text, {}).variables),
    partner: url === null || keyVariable === undefined ? null : { url, keyVariable },
  };
}

function textAt(map: YAMLMap, path: readonly string[]): string | null {
  const value: unknown = map.getIn(path);
  return typeof value === 'string' ? value : null;
}

function readIntegrations(text: string, path: string): YAMLSeq {
  const document = parseDocument(text);
  const list = document.get('integrations');
  if (document.errors.length === 0 && isSeq(list)) return list;
  throw new ConfigurationError(
    `${path} has no list "integrations" to which a client could be added. To find out what is wrong with it: donor-sync doctor`,
    { code: 'settings_invalid', details: { path } },
  );
}

export function withIntegration(text: string, answers: Answers, target: Target): string {
  const document = parseDocument(text);
  const added = parseDocument(`integrations:\n${integrationText(answers, target)}`);
  const list = document.get('integrations');
  const entries = added.get('integrations');
  const [entry] = isSeq(entries) ? entries.items : [];
  if (!isSeq(list) || !isMap(entry)) throw new Error('There is no list of integrations.');
  list.flow = false;
  // Adds a blank line before the integration, as a user would do.
  entry.spaceBefore = true;
  list.add(entry);
  return document.toString({ lineWidth: 0, flowCollectionPadding: true });
}

/** Replaces the settings file in one step. Throws an error if the file has changed since it was read. */
async function replaceSettings(file: string, before: string, text: string): Promise<void> {
  const fresh = `${file}.donor-sync-new`;
  const { mode } = await stat(file);
  await writeFile(fresh, text, { mode, flag: 'wx', flush: true });
  try {
    if ((await readFile(file, 'utf8')) !== before) {
      throw new ConfigurationError(
        `${file} was changed by someone else in the meantime. Nothing was written. Run the command again.`,
        { code: 'settings_changed', details: { path: file } },
      );
    }
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}
