/** The reasons for differences from earlier responses, in the words of the changelog. */
import type { Difference } from './compare.ts';

export interface Reason {
  /** Omitted to match every level. */
  level?: Difference['level'];
  /**
   * Matches the request, its caller and the place of the difference, for example `api | GET /v1/runs | good | viewer:
   * body.next`.
   */
  at: RegExp;
  /** A quotation from CHANGELOG.md, or a remark about the recording itself. */
  changelog: string;
}

/** Differences between the recorded worlds, not between versions of the product. */
export const OF_THE_WORLD: readonly Reason[] = [
  {
    at: /^(?:api|command) \| (?:GET |POST )?(?:\/v1\/)?audit\b.*: (?:body|stdout)\.(?:entries\.\d+(?:\.seq|\.who\.kind)?|next|checked|of|end)$/,
    changelog:
      'The world has other audit entries: a user of each role, and a webhook address from a user.',
  },
  {
    at: /^command \| tokens list --json .*: stdout\.tokens\.\d+\.(?:id|name|role)$/,
    changelog: 'The world has a token of the new role.',
  },
  {
    at: /^command \| init .*--json .*: stdout\.persons\.\d+\.(?:addresses|employers)$/,
    changelog: 'The sample of rows is chosen at random.',
  },
];

/** The first matching reason is used. */
export const REASONS: readonly Reason[] = [
  {
    level: 'wording',
    at: /./,
    changelog:
      'Errors, pages, help texts and guides use the words of the glossary (decision, service key, user, in progress) and shorter sentences.',
  },
  {
    at: /^api \| GET \/openapi\.json /,
    changelog: '`/openapi.json` is generated from the declared operations.',
  },
  {
    at: /^api \| GET \/oauth\//,
    changelog:
      'An access token can no longer use the forms of the set-up or start a consent with `GET /oauth/KIND/start` (403 `person_needed`).',
  },
  {
    level: 'addition',
    at: /: (?:body|stdout)\.error\.details(?:\.\w+)?$/,
    changelog: 'Errors in operations now also have `details` in the API.',
  },
  // Users and access tokens.
  {
    at: /^api \| (?:POST|PUT|DELETE) \/v1\/users.*(?:owner: (?:status|body\.error\.code|body)$)/,
    changelog:
      'An access token can no longer create users, links, roles or tokens, or remove a user, whatever its role (`403 person_needed`)',
  },
  {
    at: /^(?:api|page) \| .*\/users.* last owner \| .*: status$/,
    changelog: 'If you remove or disable the last owner, the response is 409 instead of 422.',
  },
  {
    at: /^api \| \w+ \/v1\/users.*: body\.(?:people|users|person|user|name|days)$/,
    changelog: 'JSON keys are `users` and `user`.',
  },
  {
    at: /^command \| users (?:list|passkeys|remove) .*: stdout\.\w+$/,
    changelog: 'JSON keys are `users` and `user`.',
  },
  {
    at: /^command \| users (?:role|enable|disable|invite|link) .*: stdout\.\w+$/,
    changelog: 'JSON of `users role|enable|disable` is `{ user }`',
  },
  {
    at: /^page \| POST \/decisions\/[^|]+ \| decided \| .*: headers\.location$/,
    changelog: 'If two users decide at the same time, the second user is told who was first',
  },
  // The set-up in the browser.
  {
    at: /^page \| POST \/setup\/\S+\/file .*: headers\.location$/,
    changelog: 'The step for the service key cannot be skipped any more',
  },
  {
    at: /^page \| POST \/setup\/\S+\/schedule /,
    changelog: 'Previously, an empty time zone became UTC.',
  },
  {
    at: /^page \| \w+ \/(?:users|tokens)\b.*: headers\.location$/,
    changelog: '`people` is called `users` in the terminal, the API (`/v1/users`) and the pages.',
  },
  {
    at: /^command \| tokens revoke .*: (?:exitCode|stdout(?:\.error\.code)?)$/,
    changelog: '`tokens revoke` asks for confirmation.',
  },
  {
    at: /^command \| tokens revoke .*: stdout\.(?:error\.details|name)/,
    changelog: '`details.token`',
  },
  // Webhook addresses.
  {
    at: /^api \| DELETE \/v1\/integrations\/riverside\/webhook.*: (?:status|body|body\.error\.code)$/,
    changelog: '`DELETE /v1/integrations/ID/webhook`',
  },
  {
    at: /^api \| POST \/v1\/integrations\/\w+\/webhook .* (?:admin|owner): (?:status|body\.error\.code|body)$/,
    changelog:
      'An access token can no longer create or rotate a webhook address (`403 person_needed`)',
  },
  {
    at: /^api \| GET \S+\/webhook .*: body\.integration$/,
    changelog: '`hooks create|rotate|show --json` print the same JSON as the API.',
  },
  {
    at: /^(?:api|page) \| POST \/\S+\/webhooks? \| (?:unknown key|invalid) \|/,
    changelog: 'a field or a signature that does not exist',
  },
  {
    at: /^(?:api|page) \| POST \/\S+\/webhooks? \|/,
    changelog:
      'If a client already has a webhook address, the API and the pages refuse to create another address (409 `hook_exists`).',
  },
  {
    at: /^command \| hooks revoke (?:riverside|harbor) .*: (?:exitCode|stdout(?:\.error\.code)?)$/,
    changelog: '`hooks revoke` asks for confirmation.',
  },
  {
    at: /^command \| hooks show(?: --json)? \| /,
    changelog: '`hooks show` without an ID',
  },
  {
    at: /^command \| hooks (?:show|revoke) nowhere /,
    changelog:
      'For an unknown client, `hooks show` and `hooks revoke` report `integration_unknown`',
  },
  {
    at: /^command \| hooks show harbor /,
    changelog:
      'For a client without an address, `hooks show` ends with exit code 0 and prints `webhook: null`.',
  },
  {
    at: /^command \| hooks (?:create|rotate|show) .*: stdout\.\w+$/,
    changelog: '`hooks create|rotate|show --json` print the same JSON as the API.',
  },
  {
    at: /^page \| POST \/(?:clients\/\w+\/webhooks\/revoke|users\/[^|]+|tokens\/[^|]+) \| .*: (?:status|headers)$/,
    changelog: 'Buttons for an unknown user, token or webhook address also return 404.',
  },
  {
    at: /^page \| POST \/(?:users|tokens) \| unknown \|/,
    changelog: 'A form about users or access tokens with an unknown client',
  },
  {
    at: /^(?:api|page) \| GET \/(?:v1\/)?runs\?(?:integration|client)=nowhere /,
    changelog:
      'An unknown client as a filter of runs returns 404 (`integration_unknown`) in the API and on the page.',
  },
  {
    at: /^api \| GET \/v1\/runs\/\S+\/contacts\?cursor=abc /,
    changelog: "An invalid cursor for a run's contacts returns `cursor_invalid`.",
  },
  {
    at: /^api \| POST \S+\/runs \| contradictory \| limited .*: (?:status|body\.error\.code)$/,
    changelog: 'If the user has no access, a contradictory request for a run returns 404.',
  },
  {
    at: /^api \| POST \S+\/runs \| contradictory .*: body\.error\.details$/,
    changelog: 'if a request asks for one contact and a full read at the same time',
  },
  { at: /^command \| runs .*--json.*: stdout\.next$/, changelog: '`runs --json` also has `next`' },
  { at: /^command \| runs <run> --csv --json /, changelog: '`runs RUN --csv --json` is refused.' },
  {
    at: /^command \| stop <run queued>/,
    changelog: '`stop` and `runs` also accept queued runs, as the API does',
  },
  {
    at: /^command \| stop .*: stdout\.\w+$/,
    changelog: 'The output of `stop --json` is `{ run, state }`, as in the API.',
  },
  {
    at: /^command \| sync .*redeliver an unknown field/,
    changelog:
      'A field that is not in the field map is refused with `field_not_mapped` instead of `usage`.',
  },
  {
    at: /^(?:api|page) \| .*(?:unknown reason|\/v1\/decisions\?client=nowhere)/,
    changelog:
      'An unknown reason returns 404 (`reason_unknown`), in lists too. An unknown client also returns 404.',
  },
  {
    at: /^api \| GET \/v1\/decisions\?.* unknown parameter /,
    changelog: '`GET /v1/decisions` with an unknown parameter',
  },
  {
    at: /^command \| holds \w+ <hold decided> --json/,
    changelog:
      'All interfaces use the codes `hold_decided`, `batch_decided` and `hold_not_decidable`.',
  },
  {
    at: /^command \| holds .*unknown batch .*: stdout\.error\.details\.open$/,
    changelog: 'A decision about an unknown batch',
  },
  {
    at: /^command \| holds --show .*--json/,
    changelog:
      '`paths`, `prospects`, `holds names` and `holds --show` refuse `--json` (exit code 2)',
  },
  {
    at: /^(?:api \| GET \/v1\/audit\?.* (?:unknown filter|invalid) \||page \| GET \/audit(?:\/csv)?\?.*: status$)/,
    changelog:
      'The page of the audit and its CSV file return 422 for an invalid action, day or name',
  },
  {
    at: /^api \| GET \/v1\/audit\?since=2000-01-01/,
    changelog: '`since` and `until` also accept a day (2026-11-01).',
  },
  {
    at: /^api \| POST \/v1\/audit\/verify \| invalid /,
    changelog:
      'The route accepts `known`, refuses everything else in its body (422), and returns `verdict`.',
  },
  {
    at: /^(?:api|command) \| (?:POST \/v1\/)?audit[ /]verify.*: (?:body|stdout)\.\w+$/,
    changelog: '`audit verify --json` prints the same document as `POST /v1/audit/verify`.',
  },
  {
    at: /^command \| audit --(?:person|until) /,
    changelog: '`donor-sync audit` has `--until` and `--person`',
  },
  {
    at: /^api \| GET \/v1\/credits.*: body\.(?:days|clients)\.\d+\.queries$/,
    changelog:
      'The bill and the *Credits* page show queries about connections in a separate column (`queries` in JSON, `Queries` in the CSV file).',
  },
  {
    at: /^api \| GET \/v1\/credits\/bill.* as JSON /,
    changelog: '`GET /v1/credits/bill` also returns JSON (`Accept: application/json`).',
  },
  {
    at: /^(?:api|page) \| GET \/(?:v1\/)?credits\/bill.*: body\.\d+$/,
    changelog:
      'The bill and the *Credits* page show queries about connections in a separate column (`queries` in JSON, `Queries` in the CSV file).',
  },
  {
    at: /^command \| credits reconcile 2026-11 --csv/,
    changelog: '`credits bill --month MONTH [--csv]` replaces `credits reconcile MONTH --csv`.',
  },
  // Schedules and fields.
  {
    at: /schedule\/pause.*(?:without a schedule|other client).*: status$/,
    changelog:
      'Pausing or resuming a client without a schedule is refused with 409 (`schedule_missing`)',
  },
  {
    at: /: body\.past\.\d+\.runs\.\d+\.reason$/,
    changelog: '`schedule show --json` and HTTP now have the `reason` of past runs.',
  },
  {
    at: /\/schedule.*: body\.(?:integration|schedule\.nextRunAt)$/,
    changelog:
      '`GET /v1/integrations/ID/schedule` also has `integration`, and computes `nextRunAt` before `serve` has planned the schedule.',
  },
  {
    at: /^command \| schedule (?:pause|resume) .*: stdout\.\w+$/,
    changelog: '`schedule pause|resume --json` prints the schedule as the API returns it.',
  },
  { at: /POST \S+\/schedule\/skip/, changelog: '`POST …/schedule/CHANGE` with a word other than' },
  {
    at: /^api \| GET \S+\/fields .*: body\.(?:integration|valuesWaiting)$/,
    changelog: 'also has `integration` and `valuesWaiting`.',
  },
  {
    at: /^command \| fields check .*: stdout\.fields\./,
    changelog: '`fields check --json` prints the same JSON as the API.',
  },
  {
    at: /^(?:page|api) \| .*networks?\/?(?:riverside|harbor|nowhere)?\/prospects \|.*: status$/,
    changelog: '`POST /networks/ID/prospects`',
  },
  {
    at: /GET \/(?:networks\/riverside\/picture|v1\/integrations\/riverside\/network) .*: body\.(?:people|paths)/,
    changelog:
      "The networks page does not show introductions that are hidden on the contact's page.",
  },
  {
    at: /^command \| (?:paths|prospects) .*--json/,
    changelog:
      '`paths`, `prospects`, `holds names` and `holds --show` refuse `--json` (exit code 2)',
  },
  {
    at: /^command \| paths c020 .*: exitCode$/,
    changelog:
      '`paths` shows nothing about a contact that opted out, objects, is deceased or waits for a decision (`contact_kept_back`).',
  },
  // Clients and contacts.
  {
    at: /: stdout\.error\.details\.(?:known|id)$/,
    changelog:
      'The `details` of `integration_unknown` in the terminal contain `integration`, as in the API.',
  },
  {
    at: /^command \| apply riverside\.yaml/,
    changelog: 'refuses a client that is also in the settings file (`set_in_file`)',
  },
  {
    at: /^command \| apply .*: stdout\.integrations\.\d+\.overridden$/,
    changelog: 'The key `overridden` is gone from `apply --json`.',
  },
  {
    at: /^command \| disconnect hillside --json/,
    changelog: '`remove` and `disconnect` report a problem before they ask for confirmation.',
  },
  {
    at: /^command \| forget .*--lift-block --json/,
    changelog: 'Previously, the error without `--yes` was `confirmation_missing`.',
  },
  {
    at: /^command \| forget .*\.payments$/,
    changelog: 'the receipt of `forget` counts `payments`.',
  },
  {
    at: /^command \| about .*\.lists$/,
    changelog: 'Each user can keep contacts on *My list*',
  },
  {
    at: /^command \| export .*: stdout\.variables$/,
    changelog: 'With `--json`, its output also has `variables`.',
  },
  {
    at: /^(api \| GET \/v1\/credits.*: body|command \| credits spent .*: stdout)\.sort$/,
    changelog: 'contain the key `sort`',
  },
];

/** Returns the words of the changelog that explain a difference, or undefined. */
export function findReason({ key, place, level }: Difference): string | undefined {
  const at = `${key}: ${place}`;
  return [...OF_THE_WORLD, ...REASONS].find(
    (reason) => (reason.level ?? level) === level && reason.at.test(at),
  )?.changelog;
}
