/**
 * The questions of a set-up that do not depend on the CRM. `crm.ts` contains the other questions. The terminal and the
 * pages ask the questions in their own order.
 */
import { PER_MONTH, PER_RUN } from './budget.ts';
import { NAME } from './client.ts';
import { CRM_KIND } from './crm.ts';
import {
  ADDRESS_COLUMNS,
  BAD_ROWS,
  EMPLOYER_COLUMNS,
  FIRST_NAME,
  FULL_NAME,
  ID_COLUMN,
  LAST_NAME,
  NAME_FORM,
} from './file.ts';
import { MARK_COLUMNS, OPT_OUT_FIELD } from './marks.ts';
import { CRON, TIMEZONE } from './schedule.ts';
import { SERVICE_ADDRESS, SERVICE_KEY } from './service.ts';

export const QUESTIONS = {
  name: NAME,
  crmKind: CRM_KIND,
  optOutField: OPT_OUT_FIELD,
  idColumn: ID_COLUMN,
  nameForm: NAME_FORM,
  firstName: FIRST_NAME,
  lastName: LAST_NAME,
  fullName: FULL_NAME,
  addresses: ADDRESS_COLUMNS,
  employers: EMPLOYER_COLUMNS,
  badRows: BAD_ROWS,
  optOutColumn: MARK_COLUMNS.optOut,
  deceasedColumn: MARK_COLUMNS.deceased,
  doNotContactColumn: MARK_COLUMNS.doNotContact,
  serviceAddress: SERVICE_ADDRESS,
  serviceKey: SERVICE_KEY,
  perRun: PER_RUN,
  perMonth: PER_MONTH,
  cron: CRON,
  timezone: TIMEZONE,
} as const;

export type QuestionName = keyof typeof QUESTIONS;
