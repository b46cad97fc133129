import { valueAt } from './expectation.ts';
import { formatPath, type SettingPath } from './problem.ts';
import type { SettingsTree, TreeProblem } from './settings-tree.ts';

/** Names that stand for one thing only, but stand there twice. */
export function duplicateProblems(tree: SettingsTree): TreeProblem[] {
  const integrations = entriesOf(tree, ['integrations']);
  const problems = [
    ...duplicatesOf(tree, keysOf(integrations, 'id'), 'is the id of another integration'),
    ...duplicatesOf(tree, writtenFiles(tree, integrations), WRITTEN_TWICE),
  ];
  for (const path of integrations) {
    const fields = entriesOf(tree, [...path, 'fields']);
    const networks = entriesOf(tree, [...path, 'networks']);
    problems.push(
      ...duplicatesOf(tree, keysOf(fields, 'to'), 'is the target of another field'),
      ...duplicatesOf(tree, keysOf(networks, 'name'), 'is the name of another network'),
    );
  }
  return problems;
}

/** Each would throw away the rows of the other. */
const WRITTEN_TWICE = 'is written by another integration, too';

/** Where the settings name the CSV file that an integration replaces. */
function writtenFiles(tree: SettingsTree, integrations: readonly SettingPath[]): SettingPath[] {
  return integrations.flatMap((path) => {
    const crm = [...path, 'crm'];
    if (valueAt(tree.value, [...crm, 'kind']) !== 'csv') return [];
    const output = [...crm, 'output'];
    return [valueAt(tree.value, output) === undefined ? [...crm, 'path'] : output];
  });
}

function keysOf(entries: readonly SettingPath[], key: string): SettingPath[] {
  return entries.map((entry) => [...entry, key]);
}

function duplicatesOf(
  tree: SettingsTree,
  places: readonly SettingPath[],
  complaint: string,
): TreeProblem[] {
  const firstPlaces = new Map<string, SettingPath>();
  const problems: TreeProblem[] = [];
  for (const path of places) {
    const value = valueAt(tree.value, path);
    if (typeof value !== 'string' || tree.markOf(path).incomplete) continue;
    const first = firstPlaces.get(value.trim());
    if (first === undefined) {
      firstPlaces.set(value.trim(), path);
      continue;
    }
    const { line } = tree.markOf(first).position;
    const message = `${nameOf(tree, path, value)} ${complaint} (${formatPath(first)}, line ${line})`;
    problems.push({ path, position: tree.markOf(path).position, message });
  }
  return problems;
}

function entriesOf(tree: SettingsTree, list: SettingPath): SettingPath[] {
  const entries = valueAt(tree.value, list);
  return Array.isArray(entries) ? entries.map((_, index) => [...list, index]) : [];
}

/** What comes from the environment is named by its variable, never shown. */
function nameOf(tree: SettingsTree, path: SettingPath, value: string): string {
  const [variable] = tree.markOf(path).variables;
  return variable === undefined ? JSON.stringify(value) : `the value of ${variable}`;
}
