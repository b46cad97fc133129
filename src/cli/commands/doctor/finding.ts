import type { Finding } from '../../../../connectors/contract.ts';
import { messageOf, wordsOf } from '../../../core/errors.ts';

/** One prerequisite as `doctor --json` shows it; a fix beside `ok: true` is advice. */
export interface DoctorFinding extends Finding {
  /** Null if it is about the whole installation. */
  integration: string | null;
}

/** A prerequisite that is met. */
export function met(subject: string, message: string, advice: string | null = null): Finding {
  return { subject, ok: true, message, fix: advice };
}

/** One that is not, with what to do about it. */
export function unmet(subject: string, message: string, fix: string): Finding {
  return { subject, ok: false, message, fix };
}

/** The findings of a check; one that throws is a finding itself, and the others go on. */
export async function checked(
  subject: string,
  fix: string,
  check: () => Promise<Finding[]>,
): Promise<Finding[]> {
  try {
    return await check();
  } catch (error) {
    const words = wordsOf(error);
    const finding = unmet(subject, messageOf(error), fix);
    return [words === null ? finding : { ...finding, words }];
  }
}
