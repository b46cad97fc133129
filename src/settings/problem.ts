/** The way to a setting: keys and list positions. */
export type SettingPath = readonly PropertyKey[];

/** Where something stands in the settings file; lines and columns are counted from 1. */
export interface Position {
  line: number;
  column: number;
}

/** One thing that is wrong with a settings file. Holds no secret and no value of a variable. */
export interface Problem extends Position {
  /** The settings file as the user named it. */
  file: string;
  /** For example `integrations[0].budget.keep`; empty for the file as a whole. */
  path: string;
  message: string;
}

/** `donor-sync.yaml:14:9 integrations[0].budget.keep: expected …`, which editors can jump to. */
export function formatProblem(problem: Problem): string {
  const place = `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === ''
    ? `${place} ${problem.message}`
    : `${place} ${problem.path}: ${problem.message}`;
}

/** In the order of the file, without repetitions. */
export function sortProblems(problems: readonly Problem[]): Problem[] {
  const unique = new Map(problems.map((problem) => [formatProblem(problem), problem]));
  return [...unique.values()].sort((a, b) => a.line - b.line || a.column - b.column);
}

/** `['integrations', 0, 'crm']` → `integrations[0].crm`; unusual keys are quoted. */
export function formatPath(path: SettingPath): string {
  return path.map(formatStep).join('').replace(/^\./, '');
}

function formatStep(step: PropertyKey): string {
  if (typeof step === 'number') return `[${step}]`;
  const key = String(step);
  return /^[\w-]+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
}
