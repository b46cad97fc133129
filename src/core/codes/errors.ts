/** Explains each error code: what happened, what did not happen, and what to do next. */
import { COMMAND_ERRORS } from './errors/commands.ts';
import { CREDIT_ERRORS } from './errors/credits.ts';
import { CRM_ERRORS } from './errors/crm.ts';
import { CSV_ERRORS } from './errors/csv.ts';
import { DATABASE_ERRORS } from './errors/database.ts';
import { DECISION_ERRORS } from './errors/decisions.ts';
import type { ErrorTopic } from './errors/explanation.ts';
import { REQUEST_ERRORS } from './errors/requests.ts';
import { SETTINGS_ERRORS } from './errors/settings.ts';
import { SETUP_ERRORS } from './errors/setup.ts';
import { USER_ERRORS } from './errors/users.ts';

/** All error codes by topic. A code has the same explanation wherever it occurs. */
export const ERROR_TOPICS: readonly ErrorTopic[] = [
  COMMAND_ERRORS,
  CREDIT_ERRORS,
  CRM_ERRORS,
  CSV_ERRORS,
  DATABASE_ERRORS,
  DECISION_ERRORS,
  REQUEST_ERRORS,
  SETTINGS_ERRORS,
  SETUP_ERRORS,
  USER_ERRORS,
];
