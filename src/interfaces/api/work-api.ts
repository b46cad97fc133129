/** The routes for runs, contacts, introductions, stored data and settings. */

import { aboutContact } from '../../operations/about.ts';
import { findContactsByName, nameContacts, showContact } from '../../operations/contacts.ts';
import { decideAll } from '../../operations/decide-all.ts';
import { forgetContact } from '../../operations/forget.ts';
import { previewErasure } from '../../operations/forget-preview.ts';
import {
  addListed,
  rankedIntroductions,
  removeListed,
} from '../../operations/introductions/introductions.ts';
import { liftContactBlock } from '../../operations/lift-block.ts';
import { exportAll, exportSettings } from '../../operations/settings.ts';
import { undoRun } from '../../operations/undo.ts';
import { previewUndoOfRun } from '../../operations/undo-preview.ts';
import type { Access } from './access.ts';
import { createOperationRoutes } from './operation-routes.ts';
import type { HttpDeps } from './request/context.ts';

export function workRoutes(deps: HttpDeps, access: Access) {
  const { app, add } = createOperationRoutes(deps, access);
  const contact = '/v1/integrations/{integration}/contacts/{contact}';
  add(undoRun, { method: 'post', path: '/v1/runs/{run}/undo', tag: 'Runs', status: 202 });
  // The preview queries the CRM, so another site's link must not be able to start it.
  add(previewUndoOfRun, { method: 'post', path: '/v1/runs/{run}/undo/counts', tag: 'Runs' });
  add(forgetContact, { method: 'post', path: `${contact}/forget`, tag: 'Privacy', status: 202 });
  add(previewErasure, { method: 'post', path: `${contact}/forget/counts`, tag: 'Privacy' });
  add(liftContactBlock, { method: 'delete', path: `${contact}/block`, tag: 'Privacy' });
  // The route is never a GET, because another site's link could send a GET. The name is in the body, because addresses
  // must not contain names.
  const search = '/v1/integrations/{integration}/contact-search';
  add(findContactsByName, { method: 'post', path: search, tag: 'Contacts' });
  // A page may list contacts of several clients.
  add(nameContacts, { method: 'post', path: '/v1/contact-names', tag: 'Contacts' });
  // The response names people and their giving capacity. The audit records the request, and other sites cannot send it.
  const introductions = '/v1/integrations/{integration}/introductions';
  add(rankedIntroductions, { method: 'post', path: introductions, tag: 'Contacts' });
  const listed = '/v1/integrations/{integration}/listed-contacts/{contact}';
  add(addListed, { method: 'put', path: listed, tag: 'Contacts' });
  add(removeListed, { method: 'delete', path: listed, tag: 'Contacts' });
  add(showContact, { method: 'post', path: contact, tag: 'Contacts' });
  add(aboutContact, { method: 'post', path: `${contact}/about`, tag: 'Privacy' });
  const settings = '/v1/integrations/{integration}/settings';
  add(exportSettings, { method: 'get', path: settings, tag: 'Integrations' });
  // This data leaves donor-sync. Therefore, the audit records the request, and the route is never a GET.
  const everything = '/v1/integrations/{integration}/export';
  add(exportAll, { method: 'post', path: everything, tag: 'Privacy' });
  const decisions = '/v1/integrations/{integration}/decisions/{reason}/{decision}';
  add(decideAll, { method: 'post', path: decisions, tag: 'Holds' });
  return app;
}
