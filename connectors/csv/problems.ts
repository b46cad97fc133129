import { ConfigurationError } from '../../src/core/errors.ts';

/** Something a person has to fix in a file; line 1 is the header. */
export interface Problem {
  line: number;
  message: string;
}

/** After this many a file is not searched any further. */
export const MOST_PROBLEMS = 20;

/** The error that lists everything that was found wrong with a file. */
export function unusableFile(path: string, problems: readonly Problem[]): ConfigurationError {
  const lines = problems.map(({ line, message }) => `  line ${line}: ${message}`);
  if (problems.length >= MOST_PROBLEMS) lines.push('  … and perhaps more.');
  return new ConfigurationError(`${path} cannot be used as it is:\n${lines.join('\n')}`, {
    code: 'csv_file_unusable',
    details: { path, problems },
  });
}
