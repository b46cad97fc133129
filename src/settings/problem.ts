/** The path to a setting, which consists of keys and positions in lists. */
export type SettingPath = readonly PropertyKey[];

/** A line and a column, both counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** A problem in a settings file, without any secret or variable's value. */
export interface Problem extends Position {
  /** The settings file's name, as the user wrote it. */
  file: string;
  /** The path of the setting, such as `integrations[0].budget.keep`. Empty for the whole file. */
  path: string;
  message: string;
}

/**
 * Returns a line such as `donor-sync.yaml:14:9 integrations[0].budget.keep: expected …`. Editors can jump to this
 * position.
 */
export function formatProblem(problem: Problem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === ''
    ? `${place} ${problem.message}`
    : `${place} ${problem.path}: ${problem.message}`;
}

/** Sorts problems in the order of the file, and removes duplicates. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Formats a path, such as `['integrations', 0, 'crm']` as `integrations[0].crm`. Puts unusual keys in quotes. */
export function formatPath(path: SettingPath): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const key = String(step);
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
