/** Lists all operations, in the order of the guides. */

import { aboutContact } from './about.ts';
import { setAddress, showAddress } from './address.ts';
import { checkAlerts, listClientAlerts, showAlerts, testAlerts, testOwnAlerts } from './alerts.ts';
import { listAnswers, withdrawAnswer } from './answers.ts';
import { confirmRequest, listWaitingApprovals, refuseRequest, showRequest } from './approvals.ts';
import { exportAudit, listAudit, verifyAudit } from './audit.ts';
import {
  applyClients,
  disconnectClient,
  listClients,
  listConnections,
  removeClient,
  showClient,
} from './clients.ts';
import { findContactsByName, nameContacts, showContact } from './contacts.ts';
import { reconcileCredits, showBill, showCredits, showSpending } from './credits.ts';
import { listUserCrmUsers, unlinkUserCrmUser } from './crm-users.ts';
import { approveHolds, decideHold, decideHoldBatch, rejectHolds, resubmitHolds } from './decide.ts';
import { decideAll } from './decide-all.ts';
import { checkClients } from './doctor/all-clients.ts';
import { examineClient } from './doctor/doctor.ts';
import { checkInstallation } from './doctor/installation.ts';
import { eraseClient } from './erase.ts';
import { checkFields, createMissingFields, getFieldSource } from './fields.ts';
import { forgetContact } from './forget.ts';
import { previewErasure } from './forget-preview.ts';
import { listHolds, listHoldsWithNames, showQueue } from './holds.ts';
import { createWebhook, listWebhooks, revokeWebhook, rotateWebhook, showWebhook } from './hooks.ts';
import { addListed, rankedIntroductions, removeListed } from './introductions/introductions.ts';
import type { Operation } from './kit/operation.ts';
import { liftContactBlock } from './lift-block.ts';
import { confirmEmail, setMail, showMails } from './mails.ts';
import { checkNetworks, listNetworks, repairNetworks, showIntroductions } from './networks.ts';
import { findProspects, showPaths } from './paths.ts';
import { planClient } from './plan.ts';
import { previewRedelivery, redeliver } from './redeliver.ts';
import { showResults } from './results.ts';
import { listRunContacts, listRuns, showRun, stopRun } from './runs.ts';
import {
  listClientSchedules,
  pauseScheduledRuns,
  resumeScheduledRuns,
  showSchedule,
} from './schedules.ts';
import { exportAll, exportSettings } from './settings.ts';
import { listUnfinished, showUnfinished } from './setups.ts';
import { retryRun, startRun } from './start-run.ts';
import { showStatus } from './status.ts';
import { createDoorToken, createToken, listTokens, revokeToken } from './tokens.ts';
import { undoRun } from './undo.ts';
import { previewUndoOfRun } from './undo-preview.ts';
import {
  changeRole,
  disableUser,
  enableUser,
  inviteUser,
  listUserPasskeys,
  listUsers,
  removeUser,
  removeUserPasskey,
  renewLink,
  signUserOut,
} from './users.ts';

export const OPERATIONS: readonly Operation[] = [
  showAddress,
  setAddress,
  inviteUser,
  listUsers,
  changeRole,
  renewLink,
  disableUser,
  enableUser,
  signUserOut,
  listUserPasskeys,
  removeUserPasskey,
  listUserCrmUsers,
  unlinkUserCrmUser,
  removeUser,
  showMails,
  setMail,
  confirmEmail,
  createToken,
  createDoorToken,
  listTokens,
  revokeToken,
  listRuns,
  showRun,
  listRunContacts,
  startRun,
  retryRun,
  eraseClient,
  redeliver,
  previewRedelivery,
  stopRun,
  listClients,
  showClient,
  listConnections,
  checkClients,
  applyClients,
  removeClient,
  disconnectClient,
  listUnfinished,
  showUnfinished,
  checkFields,
  createMissingFields,
  getFieldSource,
  examineClient,
  checkInstallation,
  undoRun,
  previewUndoOfRun,
  forgetContact,
  previewErasure,
  liftContactBlock,
  showContact,
  findContactsByName,
  nameContacts,
  aboutContact,
  exportSettings,
  exportAll,
  listWaitingApprovals,
  confirmRequest,
  refuseRequest,
  showRequest,
  listHolds,
  listHoldsWithNames,
  showQueue,
  approveHolds,
  rejectHolds,
  resubmitHolds,
  decideHold,
  decideHoldBatch,
  decideAll,
  listAnswers,
  withdrawAnswer,
  listClientSchedules,
  showSchedule,
  pauseScheduledRuns,
  resumeScheduledRuns,
  listNetworks,
  checkNetworks,
  repairNetworks,
  showIntroductions,
  rankedIntroductions,
  addListed,
  removeListed,
  showPaths,
  findProspects,
  showCredits,
  showSpending,
  showBill,
  reconcileCredits,
  showResults,
  createWebhook,
  listWebhooks,
  showWebhook,
  rotateWebhook,
  revokeWebhook,
  listClientAlerts,
  showAlerts,
  testAlerts,
  testOwnAlerts,
  checkAlerts,
  listAudit,
  exportAudit,
  verifyAudit,
  showStatus,
  planClient,
];

export function findOperation(name: string): Operation | undefined {
  return OPERATIONS.find((operation) => operation.name === name);
}
