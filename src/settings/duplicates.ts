import { valueAt } from './expectation.ts';
import { formatPath, type SettingPath } from './problem.ts';
import type { SettingsTree, TreeProblem } from './settings-tree.ts';

/** Finds names that must be unique but occur twice. */
export function duplicateProblems(tree: SettingsTree): TreeProblem[] {
  const integrations = listEntries(tree, ['integrations']);
  const problems = [
    ...findDuplicates(tree, listKeys(integrations, 'id'), 'is the id of another integration'),
    ...findDuplicates(tree, writtenFiles(tree, integrations), WRITTEN_TWICE),
  ];
  for (const path of integrations) {
    const fields = listEntries(tree, [...path, 'fields']);
    const networks = listEntries(tree, [...path, 'networks']);
    problems.push(
      ...findDuplicates(tree, listKeys(fields, 'to'), 'is the target of another field'),
      ...findDuplicates(tree, listKeys(networks, 'name'), 'is the name of another network'),
    );
  }
  return problems;
}

/** Two integrations must not write the same file, because each integration would overwrite the other's rows. */
const WRITTEN_TWICE = 'is written by another integration, too';

/** Returns the settings that name the CSV files which the integrations replace. */
function writtenFiles(tree: SettingsTree, integrations: readonly SettingPath[]): SettingPath[] {
  return integrations.flatMap((path) => {
    const crm = [...path, 'crm'];
    if (valueAt(tree.value, [...crm, 'kind']) !== 'csv') return [];
    const output = [...crm, 'output'];
    return [valueAt(tree.value, output) === undefined ? [...crm, 'path'] : output];
  });
}

function listKeys(entries: readonly SettingPath[], key: string): SettingPath[] {
  return entries.map((entry) => [...entry, key]);
}

function findDuplicates(
  tree: SettingsTree,
  places: readonly SettingPath[],
  complaint: string,
): TreeProblem[] {
  const firstPlaces = new Map<string, SettingPath>();
  const problems: TreeProblem[] = [];
  for (const path of places) {
    const value = valueAt(tree.value, path);
    if (typeof value !== 'string' || tree.getMark(path).incomplete) continue;
    const first = firstPlaces.get(value.trim());
    if (first === undefined) {
      firstPlaces.set(value.trim(), path);
      continue;
    }
    const { line } = tree.getMark(first).position;
    const message = `${describeValue(tree, path, value)} ${complaint} (${formatPath(first)}, line ${line})`;
    problems.push({ path, position: tree.getMark(path).position, message });
  }
  return problems;
}

function listEntries(tree: SettingsTree, list: SettingPath): SettingPath[] {
  const entries = valueAt(tree.value, list);
  return Array.isArray(entries) ? entries.map((_, index) => [...list, index]) : [];
}

/**
 * Describes a value that occurs twice. If the value comes from the environment, names only its variable and never shows
 * the value.
 */
function describeValue(tree: SettingsTree, path: SettingPath, value: string): string {
  const [variable] = tree.getMark(path).variables;
  return variable === undefined ? JSON.stringify(value) : `the value of ${variable}`;
}
