/** Builds addresses. CiviCRM's addresses depend on the content management system in which it runs. */
import { withoutSlash } from '../../src/outbound/address.ts';
import type { CivicrmSettings } from './settings.ts';

/** Returns the path and the query of an API action. */
export function apiAddress(
  { system, cleanUrls }: Pick<CivicrmSettings, 'system' | 'cleanUrls'>,
  entity: string,
  action: string,
): { path: string; query?: Readonly<Record<string, string>> } {
  const route = `civicrm/ajax/api4/${entity}/${action}`;
  if (system === 'joomla') {
    return { path: '/index.php', query: { option: 'com_civicrm', task: route } };
  }
  if (system === 'wordpress' && !cleanUrls) {
    return { path: '/index.php', query: { civiwp: 'CiviCRM', q: route } };
  }
  return { path: `/${route}` };
}

/** Returns the address of a contact's page in CiviCRM. */
export function recordUrl({ url, system }: CivicrmSettings, id: string): string {
  const site = withoutSlash(url);
  const contact = `reset=1&cid=${encodeURIComponent(id)}`;
  if (system === 'joomla') {
    return `${site}/administrator/index.php?option=com_civicrm&task=civicrm/contact/view&${contact}`;
  }
  if (system === 'wordpress') {
    return `${site}/wp-admin/admin.php?page=CiviCRM&q=civicrm%2Fcontact%2Fview&${contact}`;
  }
  return `${site}/civicrm/contact/view?${contact}`;
}
