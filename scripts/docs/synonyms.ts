/**
 * Synonyms for the guide's search. If a query contains a word or phrase in `typed`, the search also looks for the words
 * in `means`. This is the only list of synonyms. If people do not find a section because they use a different word, add
 * the word to this list.
 *
 * A synonym. In `means`, use words from headings and from the glossary. The search ignores endings, so `bill` also
 * finds bills, billed and billing. A phrase must match exactly. A phrase has priority over its single words.
 */
export interface Synonym {
  typed: readonly string[];
  means: readonly string[];
}

export const SYNONYMS: readonly Synonym[] = [
  // Words about credits.
  synonym(
    'charge, cost, costs, price, pricing, pay, paid, bill, fee, expensive',
    'credit, cost, spend, paid',
  ),
  synonym('invoice, invoicing, accounting, cost report, spending report', 'bill, credits spent'),
  synonym('money, spend, spending', 'credit, budget'),
  synonym('limit, cap, quota, maximum, ceiling, allowance', 'budget, limit'),
  synonym(
    'used up, run out, ran out, running out, no more credits, out of credits',
    'used up, exhausted, low',
  ),
  synonym('top up, buy more, recharge', 'credit, left'),
  synonym('estimate, forecast, preview, dry run, simulate, test run, in advance', 'plan, preview'),

  // Words about people's data.
  synonym('delete, remove, wipe, purge, destroy, get rid of', 'erase, delete, remove, forget'),
  synonym(
    'gdpr, ccpa, right to be forgotten, forget me, forget them, erasure, data protection',
    'erase, forget, privacy, personal data',
  ),
  synonym('subject access request, data request, what do you have about', 'data held, person'),
  synonym(
    'unsubscribe, unsubscribed, do not contact, exclude, opt out, opted out, optout, leave out, block, skip, ignore, never send',
    'opt-out, objections, skip, block',
  ),
  synonym('dead, died, passed away, deceased', 'deceased, died'),
  synonym('secure, security, safe, encryption, encrypted', 'encrypted, protection, personal data'),
  synonym('retention, how long', 'kept, long'),

  // Words about answers to decisions, and about withdrawing them.
  synonym(
    'take back, take it back, change my mind, changed my mind, wrong answer, by mistake, accidentally, cancel my answer, approved the wrong, clicked the wrong',
    'withdraw, wrong answer, take back, undo',
  ),
  synonym('revert, roll back, rollback, reverse, undo', 'undo, restore'),
  synonym('approve, approval, review, pending, answer, question, confirm', 'decision, approve'),
  synonym('held, on hold, waiting', 'held, decision'),
  synonym(
    'wrong person, wrong match, mismatch, bad match, not the same person',
    'name match, decision, wrong',
  ),
  synonym(
    'duplicate, duplicates, dupe, merge, merged, same person twice',
    'same person, twice, duplicate',
  ),
  synonym('maiden, married, nickname, surname, name change', 'name'),

  // Words about runs and schedules.
  synonym('sunday, monday, friday, weekend, weekday, hourly, every hour, every week', 'schedule'),
  synonym('internet, offline, outage, power cut, down, unreachable', 'unavailable, outage'),
  synonym(
    'time, when, hour, o clock, timezone, time zone, nightly, daily, weekly, automatic, automatically, frequency, how often',
    'schedule, every night',
  ),
  synonym('cancel, abort, kill, halt, interrupt', 'stop'),
  synonym('suspend, turn off, switch off, vacation, holiday', 'pause, off, disable'),
  synonym(
    'start, launch, trigger, kick off, manually, right now, immediately, right away, instantly, real time',
    'start, sync, webhook',
  ),
  synonym('job, update run, synchronization, synchronisation, synchronize', 'run, sync'),
  synonym(
    'error, fails, failing, failed, failure, problem, broken, does not work, not working, stuck, hangs, hanging, frozen, crash, crashed',
    'failed, stopped, wrong, troubleshooting',
  ),
  synonym('slow, speed, performance, how fast', 'long, fast, measured'),
  synonym('refresh, outdated, stale, old data, up to date', 'refresh, enhanced again'),
  synonym('history, who changed, who approved', 'audit, who did what'),

  // Words about users.
  synonym(
    'permission, permissions, access, rights, scope, scopes, privilege',
    'role, access, scope, permission',
  ),
  synonym('colleague, coworker, teammate, staff, volunteer, employee, team', 'user, invite'),
  synonym('read only, view only, only look, look only', 'role, viewer'),
  synonym('account, login, log in, logon, sign on', 'sign in, user'),
  synonym(
    'sso, single sign on, google, microsoft, azure, entra, okta, saml, oidc, openid',
    'identity provider',
  ),
  synonym('2fa, mfa, two factor, authenticator, fingerprint, face id', 'passkey'),
  synonym('four eyes, second approval, two people', 'two people'),
  synonym(
    'locked out, lost access, cannot sign in, can t sign in, can t log in, cannot log in',
    'recovery, forgot password',
  ),
  synonym('notification, notify, slack, teams, email me, text message', 'alert, e-mail, chat'),
  synonym('email, mail', 'e-mail'),

  // Words about the CRM.
  synonym('stop sending, do not send, don t send', 'opt-out, objections, sent'),
  synonym(
    'umlaut, accent, special character, character, encoding, garbled',
    'characters, encoding',
  ),
  synonym('size, large, big, huge, megabytes, mb', 'large, limits'),
  synonym('read only property, read only field, not writable', 'field, permission'),
  synonym('import, upload, spreadsheet, excel, xlsx, google sheets', 'csv, upload'),
  synonym('export, download', 'csv, download, file'),
  synonym('column, columns, header, headers', 'column'),
  synonym('property, properties, custom field, attribute', 'field, property'),
  synonym('overwrite, replace', 'overwrite, when'),
  synonym(
    'chapter, nonprofit, organization, organisation, org, charity, tenant, customer',
    'client',
  ),
  synonym(
    'segment, subset, filter, certain contacts, some contacts, major donors',
    'filter, contacts',
  ),
  synonym('record, records, constituent, supporter, lead, prospect', 'contact'),
  synonym(
    'blackbaud, raiser s edge, dynamics, zoho, other crm, another crm, pipedrive',
    'csv, crm, connector',
  ),
  synonym(
    'introduce, introduction, who knows, who can introduce, relationship, board',
    'warm path, network, introduce',
  ),
  synonym('net worth, wealth, income, rich, capacity', 'wealth, fields'),
  synonym('not found, nobody found, no match, unknown person', 'finds nobody, not found'),

  // Words about the installation.
  synonym('everything works, works correctly, set up correctly, check everything', 'doctor, check'),
  synonym('mobile, smartphone, phone, ipad, tablet', 'phone, pages'),
  synonym(
    'when we cancel, cancel our subscription, terminate, end of contract',
    'leaves, erase client',
  ),
  synonym('server, instance, vm, machine, host, hosting, computer', 'machine, install'),
  synonym(
    'domain, https, tls, ssl, certificate, nginx, caddy, public address, expose',
    'proxy, tls',
  ),
  synonym('docker, podman, kubernetes, container', 'container'),
  synonym(
    'upgrade, update, updating, new version, newer version, newest version, latest version',
    'updating',
  ),
  synonym(
    'migrate, migration, transfer, another server, new server, another machine',
    'move, restore, backup',
  ),
  synonym('reconnect, connection expired, disconnected, authorize, authorization', 'connect again'),
  synonym('prometheus, grafana, dashboard, rest, webservice', 'api, metrics'),
  synonym('api key, token, credentials, secret', 'key, token'),
  synonym('rotate, renew, replace the key, leaked', 'key, rotate'),
  synonym('uninstall, stop using, leave, quit, close our account', 'leaves, erase client'),
  synonym('support, help, contact you, bug', 'help, report'),
];

/** Creates a synonym. Both lists are separated by commas. */
function synonym(typed: string, means: string): Synonym {
  return { typed: typed.split(', '), means: means.split(', ') };
}
