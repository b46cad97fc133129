/** The functions for the command `donor-sync service`. The command line loads no other part of the service. */

export { type Balances, BUCKETS, type Bucket } from '../credits.ts';
export { openDatabase } from '../database.ts';
export { checkJoins, type SuspiciousJoin } from '../record/check-joins.ts';
export { decideReview, listReviews, type ReviewPair } from '../record/decide-reviews.ts';
export { allowAgain, erasePerson } from '../record/erase.ts';
export {
  type ImportReport,
  importPeople,
} from '../record/import.ts';
export { type Joined, joinDonors } from '../record/join.ts';
export { ImportProblem } from '../record/problem.ts';
export { IMPORT_KINDS, type ImportKind } from '../record/sources/source.ts';
export { type Undone, undoJoin, undoJoins } from '../record/undo-join.ts';
export { findMissingWork, type MissingWork, refundLine } from './credit-check.ts';
export { backUp, openBeside, readStats, type ServiceStats, verify } from './file.ts';
export { Refusal } from './refusal.ts';
export { type RunningService, type ServiceOptions, startService } from './serve.ts';
export { openTeamKeys, type TeamKey } from './team-keys.ts';
export { openTeams, type Team } from './teams.ts';
