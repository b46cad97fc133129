/** The error for a source that cannot be imported. The import has stored no data from the source. */

/** The maximum number of problems in the message. The message also contains the total number of problems. */
const MOST_NAMED = 20;

/** The problems of a file, sorted by line. */
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
