/** The error for a source that cannot be imported as it is. No part of the source was imported. */

/** The maximum number of problems that the message lists. The message also contains the total number. */
const MOST_NAMED = 20;

/** The problems of a file, line by line. */
export class ImportProblem extends Error {
  override readonly name = 'ImportProblem';
  readonly problems: readonly string[];

  constructor(file: string, problems: readonly string[], all = problems.length) {
    const more = all > MOST_NAMED ? `\n… and ${all - MOST_NAMED} more` : '';
    super(
      `${file} was not imported. No part of the file was imported:\n${problems.slice(0, MOST_NAMED).join('\n')}${more}`,
    );
    this.problems = problems;
  }
}
