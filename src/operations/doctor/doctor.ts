/** Runs the doctor for one client within an HTTP request. */
import { z } from 'zod';
import { describeCount } from '../../core/quantities.ts';
import { findClient } from '../kit/clients.ts';
import { acting } from '../kit/operation.ts';
import { describeSame, mergeAlike } from './alike.ts';
import { countCauses, type DoctorFinding, shownFinding } from './causes.ts';
import { CHECK_LIMIT_MS, type Examination, examineIntegration } from './examine.ts';

const findingSchema = z
  .object({
    integration: z
      .string()
      .nullable()
      .describe('Null if the finding is about the whole installation'),
    subject: z.string(),
    ok: z.boolean(),
    message: z.string(),
    fix: z.string().nullable(),
    command: z.string().nullable().describe('The command that helps, if there is one'),
    cause: z.string().nullable().describe('A stable word shared by findings with the same cause'),
  })
  .meta({ id: 'Finding' });

export const reportSchema = z.object({
  findings: z.array(findingSchema),
  causes: z.int().describe('Number of problems to fix'),
});

/** The doctor's report for programs. The report never contains text from the CRM. */
export type DoctorReport = z.output<typeof reportSchema>;

export function toReport(findings: readonly DoctorFinding[]): DoctorReport {
  return { findings: findings.map(shownFinding), causes: countCauses(findings) };
}

const examineDeclared = {
  name: 'doctor',
  summary: 'Check every prerequisite, and show how to fix each problem',
  role: 'admin',
  reach: 'some',
  by: 'person+token',
  input: z.object({ integration: z.string().describe('The ID of the client') }),
  subjects: ['integration'],
} as const;

/** Checks one client. In the terminal, the doctor also checks the installation and several clients. */
export const examineClient = acting({
  ...examineDeclared,
  result: reportSchema,
  async run({ application, signal, ...world }, { integration }) {
    const client = findClient(world, integration);
    const examination = { signal, limitMs: CHECK_LIMIT_MS };
    return toReport(await examineIntegration(application, client, examination));
  },
  say: describeReport,
  ending: endingOf,
});

/**
 * Returns the operation for the terminal. The findings of this operation may quote the CRM, and its checks have no time
 * limit. While the connection to the CRM is open, `also` performs further checks.
 */
export function examineHere(also?: Examination['also']) {
  return acting({
    ...examineDeclared,
    result: z.object({ findings: z.array(z.custom<DoctorFinding>()) }),
    async run({ application, signal, ...world }, { integration }) {
      const client = findClient(world, integration);
      return { findings: await examineIntegration(application, client, { signal, also }) };
    },
    say: ({ findings }) => describeReport(toReport(findings)),
    ending: ({ findings }) => endingOf(toReport(findings)),
  });
}

/** Describes each finding with its fix, and the number of problems. */
export function describeReport({ findings, causes }: DoctorReport): string[] {
  return [
    ...mergeAlike(findings.map(toFinding)).flatMap(({ subject, ok, message, fix, others }) => [
      `${ok ? '✓' : '✗'} ${subject}: ${message}`,
      ...(others.length === 0 ? [] : [`    ${describeSame(others)}`]),
      ...(fix === null ? [] : [`    → ${fix}`]),
    ]),
    causes === 0 ? 'All is well.' : `${describeCount(causes, 'problem')} to fix.`,
  ];
}

/** Returns the ending of the command. `refused` means that a user has to solve a problem. */
export function endingOf({ causes }: DoctorReport): 'done' | 'refused' {
  return causes === 0 ? 'done' : 'refused';
}

/** Converts a finding of the report back into a DoctorFinding. */
export function toFinding({ cause, ...finding }: DoctorReport['findings'][number]): DoctorFinding {
  return cause === null ? finding : { ...finding, cause };
}
