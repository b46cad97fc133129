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
      'Errors, pages, help texts and guides use the words of the glossary, for example decision, service key and user. The sentences are shorter.',
  },
  {
    at: /^api \| GET \/openapi\.json /,
    changelog: 'donor-sync generates `/openapi.json` from the declarations of the operations.',
  },
  {
    at: /^api \| GET \/oauth\//,
    changelog:
      'An access token can no longer use the forms of the set-up or start a consent with `GET /oauth/KIND/start` (403 `person_needed`).',
  },
  {
    level: 'addition',
    at: /: (?:body|stdout)\.error\.details(?:\.\w+)?$/,
    changelog: 'In the API, errors in operations now also contain `details`.',
  },
  // Users and access tokens.
  {
    at: /^api \| (?:POST|PUT|DELETE) \/v1\/users.*(?:owner: (?:status|body\.error\.code|body)$)/,
    changelog:
      'An access token can no longer create users, links, roles or tokens, or remove a user, even with the role owner (`403 person_needed`).',
  },
  {
    at: /^(?:api|page) \| .*\/users.* last owner \| .*: status$/,
    changelog: 'If you remove or disable the last owner, the response is 409 instead of 422.',
  },
  {
    at: /^api \| \w+ \/v1\/users.*: body\.(?:people|users|person|user|name|days)$/,
    changelog: 'In JSON, the keys are now `users` and `user`.',
  },
  {
    at: /^command \| users (?:list|passkeys|remove) .*: stdout\.\w+$/,
    changelog: 'In JSON, the keys are now `users` and `user`.',
  },
  {
    at: /^command \| users (?:role|enable|disable|invite|link) .*: stdout\.\w+$/,
    changelog: 'The commands `users role|enable|disable` now print `{ user }` as JSON.',
  },
  {
    at: /^page \| POST \/decisions\/[^|]+ \| decided \| .*: headers\.location$/,
    changelog:
      'If two users decide at the same time, donor-sync tells the second user who was first. This applies even if the first answer has not taken effect yet.',
  },
  // The set-up in the browser.
  {
    at: /^page \| POST \/setup\/\S+\/file .*: headers\.location$/,
    changelog: 'In the set-up, you can no longer skip the step for the service key.',
  },
  {
    at: /^page \| POST \/setup\/\S+\/schedule /,
    changelog: 'Previously, donor-sync used UTC if the time zone was empty.',
  },
  {
    at: /^page \| \w+ \/(?:users|tokens)\b.*: headers\.location$/,
    changelog:
      'The terminal, the API (`/v1/users`) and the pages now use the word `users` instead of `people`.',
  },
  {
    at: /^command \| tokens revoke .*: (?:exitCode|stdout(?:\.error\.code)?)$/,
    changelog: '`tokens revoke` now asks for confirmation.',
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
    changelog: '`hooks revoke` now asks for confirmation.',
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
      'If the client has no address, `hooks show` ends with exit code 0 and prints `webhook: null`.',
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
    changelog:
      'If a form about users or access tokens contains an unknown client, donor-sync returns 404 `integration_unknown` instead of 422, as the API does.',
  },
  {
    at: /^(?:api|page) \| GET \/(?:v1\/)?runs\?(?:integration|client)=nowhere /,
    changelog:
      'If you filter runs by an unknown client, the API and the page return 404 (`integration_unknown`).',
  },
  {
    at: /^api \| GET \/v1\/runs\/\S+\/contacts\?cursor=abc /,
    changelog: "An invalid cursor for a run's contacts returns `cursor_invalid`.",
  },
  {
    at: /^api \| POST \S+\/runs \| contradictory \| limited .*: (?:status|body\.error\.code)$/,
    changelog:
      "If a user without access sends a contradictory request for a run, donor-sync returns 404. An invalid cursor for a run's contacts returns `cursor_invalid`.",
  },
  {
    at: /^api \| POST \S+\/runs \| contradictory .*: body\.error\.details$/,
    changelog:
      'If a request asks for one contact and a full read at the same time, `POST /v1/integrations/ID/runs` returns 422 without `details`.',
  },
  {
    at: /^command \| runs .*--json.*: stdout\.next$/,
    changelog:
      'The command `runs` accepts `--status`, `--trigger`, `--from`, `--until` and `--cursor`. `runs --json` also contains `next`.',
  },
  {
    at: /^command \| runs <run> --csv --json /,
    changelog: '`runs RUN` refuses `--csv` together with `--json`.',
  },
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
      'If a field is not in the field map, donor-sync refuses it with `field_not_mapped` instead of `usage`.',
  },
  {
    at: /^(?:api|page) \| .*(?:unknown reason|\/v1\/decisions\?client=nowhere)/,
    changelog:
      'All interfaces use the codes `hold_decided`, `batch_decided` and `hold_not_decidable`. An unknown reason returns 404 (`reason_unknown`), also in lists. An unknown client also returns 404. If a request for `GET /v1/decisions` contains an unknown parameter, an invalid limit or an invalid cursor, donor-sync returns 422.',
  },
  {
    at: /^api \| GET \/v1\/decisions\?.* unknown parameter /,
    changelog:
      'An unknown client also returns 404. If a request for `GET /v1/decisions` contains an unknown parameter, an invalid limit or an invalid cursor, donor-sync returns 422.',
  },
  {
    at: /^command \| holds \w+ <hold decided> --json/,
    changelog:
      'All interfaces use the codes `hold_decided`, `batch_decided` and `hold_not_decidable`.',
  },
  {
    at: /^command \| holds .*unknown batch .*: stdout\.error\.details\.open$/,
    changelog: 'For an unknown batch, a decision returns only `details.batch`.',
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
      '`POST /v1/audit/verify` accepts `known`, refuses everything else in its body (422), and returns `verdict`.',
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
      'If a client has no schedule, donor-sync refuses to pause or resume it with 409 (`schedule_missing`) instead of 422. `schedule pause|resume --json` prints the schedule as the API returns it.',
  },
  {
    at: /: body\.past\.\d+\.runs\.\d+\.reason$/,
    changelog: '`schedule show --json` and the HTTP API now contain the `reason` of past runs.',
  },
  {
    at: /\/schedule.*: body\.(?:integration|schedule\.nextRunAt)$/,
    changelog:
      '`GET /v1/integrations/ID/schedule` also contains `integration`. The route calculates `nextRunAt` even if `serve` has not planned the schedule yet.',
  },
  {
    at: /^command \| schedule (?:pause|resume) .*: stdout\.\w+$/,
    changelog: '`schedule pause|resume --json` prints the schedule as the API returns it.',
  },
  {
    at: /POST \S+\/schedule\/skip/,
    changelog:
      '`POST …/schedule/CHANGE` returns 404 for a word other than `pause` or `resume`, because each change has its own route.',
  },
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
      'In the terminal, the `details` of `integration_unknown` contain `integration`, as in the API.',
  },
  {
    at: /^command \| apply riverside\.yaml/,
    changelog: 'refuses a client that is also in the settings file (`set_in_file`)',
  },
  {
    at: /^command \| apply .*: stdout\.integrations\.\d+\.overridden$/,
    changelog: '`apply --json` no longer contains the key `overridden`.',
  },
  {
    at: /^command \| disconnect hillside --json/,
    changelog: '`remove` and `disconnect` now report a problem before they ask for confirmation.',
  },
  {
    at: /^command \| forget .*--lift-block --json/,
    changelog: 'Previously, the error was `confirmation_missing` if `--yes` was missing.',
  },
  {
    at: /^command \| forget .*\.payments$/,
    changelog:
      '`restore --json` also contains `spending`, and the receipt of `forget` contains the number of `payments`.',
  },
  {
    at: /^command \| about .*\.lists$/,
    changelog: 'Each user can keep contacts on *My list*',
  },
  {
    at: /^command \| export .*: stdout\.variables$/,
    changelog: 'With `--json`, the output of `export everything` also contains `variables`.',
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
