import { valueAt } from './expectation.ts';
import { formatPath, type SettingPath } from './problem.ts';
import type { SettingsTree, TreeProblem } from './settings-tree.ts';

/** Names that stand for one thing only, but stand there twice. */
export function duplicateProblems(tree: SettingsTree): TreeProblem[] {
  const integrations = ['integrations'];
  const problems = duplicatesOf(tree, integrations, 'id', 'is the id of another integration');
  for (const path of entriesOf(tree, integrations)) {
    problems.push(
      ...duplicatesOf(tree, [...path, 'fields'], 'to', 'is the target of another field'),
      ...duplicatesOf(tree, [...path, 'networks'], 'name', 'is the name of another network'),
    );
  }
  return problems;
}

function duplicatesOf(
  tree: SettingsTree,
  list: SettingPath,
  key: string,
  complaint: string,
): TreeProblem[] {
  const firstPlaces = new Map<string, SettingPath>();
  const problems: TreeProblem[] = [];
  for (const entry of entriesOf(tree, list)) {
    const path = [...entry, key];
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
