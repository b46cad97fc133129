/** A source that cannot be imported as it is: nothing of it is in. */

/** So many problems are named; the number of all is said besides. */
const MOST_NAMED = 20;

/** What is wrong with a file, line by line. */
export class ImportProblem extends Error {
  override readonly name = 'ImportProblem';
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[], all = problems.length) {
    const more = all > MOST_NAMED ? `\n… and ${all - MOST_NAMED} more` : '';
    super(
      `${file} was not imported, nothing of it is in:\n${problems.slice(0, MOST_NAMED).join('\n')}${more}`,
    );
    this.problems = problems;
  }
}
