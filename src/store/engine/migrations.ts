import type { Kysely } from 'kysely';
import * as ground from '../../../migrations/0001-ground.ts';
import * as sharedProfiles from '../../../migrations/0002-shared-profiles.ts';
import * as service from '../../../migrations/0003-service.ts';
import * as networks from '../../../migrations/0004-networks.ts';
import * as warmPaths from '../../../migrations/0005-warm-paths.ts';
import * as runScope from '../../../migrations/0006-run-scope.ts';
import * as warmPathLooks from '../../../migrations/0007-warm-path-looks.ts';
import * as ordinaryDays from '../../../migrations/0008-ordinary-days.ts';
import * as erasure from '../../../migrations/0009-erasure.ts';
import * as foreignText from '../../../migrations/0010-foreign-text.ts';
import * as runRows from '../../../migrations/0011-run-rows.ts';
import * as queryIntents from '../../../migrations/0012-query-intents.ts';
import * as hints from '../../../migrations/0013-hints.ts';
import * as contactStatuses from '../../../migrations/0014-contact-statuses.ts';
import * as submissionSlots from '../../../migrations/0015-submission-slots.ts';
import * as urgency from '../../../migrations/0016-urgency.ts';
import * as audit from '../../../migrations/0017-audit.ts';
import * as paces from '../../../migrations/0018-paces.ts';
import * as restores from '../../../migrations/0019-restores.ts';
import * as beyondOneMachine from '../../../migrations/0021-beyond-one-machine.ts';
import * as people from '../../../migrations/0022-people.ts';
import * as watchedRuns from '../../../migrations/0023-watched-runs.ts';
import * as waitingDecisions from '../../../migrations/0024-waiting-decisions.ts';
import * as operations from '../../../migrations/0025-operations.ts';
import * as setupDrafts from '../../../migrations/0026-setup-drafts.ts';
import * as approvals from '../../../migrations/0027-approvals.ts';
import * as passkeys from '../../../migrations/0028-passkeys.ts';
import * as webhookBursts from '../../../migrations/0030-webhook-bursts.ts';
import * as merges from '../../../migrations/0031-merges.ts';
import * as optOuts from '../../../migrations/0032-opt-outs.ts';
import * as keptProfiles from '../../../migrations/0033-kept-profiles.ts';
import * as missingContacts from '../../../migrations/0036-missing-contacts.ts';
import * as onePerson from '../../../migrations/0037-one-person.ts';

/** One step of the schema. It only goes forward, and a released one is never edited. */
export interface SchemaMigration {
  up(db: Kysely<unknown>): Promise<void>;
}

/** Migrations by file name, whose number gives their order. */
export type MigrationList = Readonly<Record<string, SchemaMigration>>;

/** Every migration there is. Named one by one, so that the built program needs no folder to search. */
export const MIGRATIONS = {
  '0001-ground': ground,
  '0002-shared-profiles': sharedProfiles,
  '0003-service': service,
  '0004-networks': networks,
  '0005-warm-paths': warmPaths,
  '0006-run-scope': runScope,
  '0007-warm-path-looks': warmPathLooks,
  '0008-ordinary-days': ordinaryDays,
  '0009-erasure': erasure,
  '0010-foreign-text': foreignText,
  '0011-run-rows': runRows,
  '0012-query-intents': queryIntents,
  '0013-hints': hints,
  '0014-contact-statuses': contactStatuses,
  '0015-submission-slots': submissionSlots,
  '0016-urgency': urgency,
  '0017-audit': audit,
  '0018-paces': paces,
  '0019-restores': restores,
  '0021-beyond-one-machine': beyondOneMachine,
  '0022-people': people,
  '0023-watched-runs': watchedRuns,
  '0024-waiting-decisions': waitingDecisions,
  '0025-operations': operations,
  '0026-setup-drafts': setupDrafts,
  '0027-approvals': approvals,
  '0028-passkeys': passkeys,
  '0030-webhook-bursts': webhookBursts,
  '0031-merges': merges,
  '0032-opt-outs': optOuts,
  '0033-kept-profiles': keptProfiles,
  '0036-missing-contacts': missingContacts,
  '0037-one-person': onePerson,
} satisfies MigrationList;
