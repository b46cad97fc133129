/** Formats constituents, households and fields for responses. */
import type { Variant } from '../core/variant.ts';
import type { Account } from './account.ts';
import { type Constituent, fullName, TEXT_PARTS } from './constituent.ts';
import type { CustomField, CustomValue } from './custom-fields.ts';
import type { Detail, DetailKind } from './details.ts';
import type { Household } from './households.ts';

/** Returns a constituent in the form that lists and responses to writes use. */
export function constituentBody(account: Account, constituent: Constituent): object {
  const { details, variant } = account;
  const { id, accountNumber, type, createdAtMs, modifiedAtMs, modifiedBy, body } = constituent;
  const current = variant.current();
  const own = details.of(id);
  const idsOf = (kind: DetailKind) => own.flatMap((each) => (each.kind === kind ? each.id : []));
  const primary = (kind: DetailKind) => {
    const found = own.find((each) => each.kind === kind && each.isPrimary);
    return found === undefined ? null : detailBody(found, current);
  };
  const household =
    body.HouseholdId == null ? undefined : account.households.find(body.HouseholdId);
  return withBlanks(current, {
    Id: id,
    AccountNumber: accountNumber,
    IsInHousehold: household !== undefined,
    IsHeadOfHousehold: household?.headId === id,
    IsFavorite: false,
    Type: type,
    Status: body.Status,
    ...Object.fromEntries(TEXT_PARTS.map((name) => [name, body[name] ?? null])),
    FullName: fullName({ ...body, Type: type }),
    Gender: body.Gender ?? null,
    ProfilePictureType: 'None',
    PrimaryEmail: primary('email'),
    PrimaryPhone: primary('phone'),
    HouseholdId: household?.id ?? null,
    PreferredCommunicationChannel: body.PreferredCommunicationChannel ?? null,
    CommunicationRestrictions: body.CommunicationRestrictions,
    CommunicationRestrictionsUpdateReason: body.CommunicationRestrictionsUpdateReason ?? null,
    EmailInterestType: body.EmailInterestType,
    EmailInterestsUpdateReason: body.EmailInterestsUpdateReason ?? null,
    PrimaryAddress: primary('address'),
    EngagementScore: 'Low',
    DonorSearchInfo: { GenerosityScore: 'NotScanned' },
    AddressIds: idsOf('address'),
    EmailIds: idsOf('email'),
    PhoneIds: idsOf('phone'),
    CustomValues: customValues(account, constituent),
    ...(current.groups === 'hidden'
      ? {}
      : { GroupsDetails: body.groupIds.flatMap((each) => groupBody(account, each)) }),
    AuditTrail: auditTrail(current, { createdAtMs, modifiedAtMs, modifiedBy }),
  });
}

function groupBody({ groups }: Account, id: number): object[] {
  const group = groups.find(id);
  return group === undefined
    ? []
    : [{ Id: group.id, Name: group.name, Description: group.description }];
}

function customValues(account: Account, { body }: Constituent): object[] {
  const { customFields } = account;
  const variant = account.variant.current();
  return Object.entries(body.custom).flatMap(([key, stored]): object[] => {
    const field = customFields.find(Number(key));
    if (field === undefined || !field.isActive) return [];
    const FieldId = field.id;
    if (typeof stored === 'string') {
      const Value = shownValue(stored, field, variant);
      if (variant.freeform === 'text') return [{ FieldId, Value }];
      // Each freeform value has its own ID, which clients do not need.
      return [{ FieldId, Value: { Id: 100_000_000 + FieldId, Value } }];
    }
    const picked = stored.flatMap((id) => {
      const value = customFields.findValue(id);
      return value === undefined ? [] : [{ Id: value.id, Value: value.value }];
    });
    if (field.pickType === 'PickMultiple') return [{ FieldId, Values: picked }];
    return picked.slice(0, 1).map((Value) => ({ FieldId, Value }));
  });
}

/** Formats a value as Bloomerang's pages display it, for example `1,250,000.50` or `3/4/1962`. */
function shownValue(stored: string, { dataType }: CustomField, { values }: Variant): string {
  if (values === 'plain') return stored;
  if (dataType === 'Currency') {
    return new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' }).format(
      Number(stored),
    );
  }
  if (dataType === 'Decimal') {
    return new Intl.NumberFormat('en-US', { maximumFractionDigits: 4 }).format(Number(stored));
  }
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(stored) ?? [];
  return dataType === 'Date' && year !== undefined
    ? `${Number(month)}/${Number(day)}/${year}`
    : stored;
}

export function detailBody(detail: Detail, variant: Variant): object {
  const { id, kind, constituentId, isPrimary, modifiedAtMs, body } = detail;
  const times = { createdAtMs: modifiedAtMs, modifiedAtMs, modifiedBy: 'Example Staff User' };
  return withBlanks(variant, {
    Id: id,
    AccountId: constituentId,
    ...body,
    IsPrimary: isPrimary,
    AuditTrail: auditTrail(variant, times),
    ...(kind === 'address' ? { CountryCode: 'US' } : {}),
  });
}

export function householdBody(household: Household, variant: Variant): object {
  const { id, name, headId, memberIds, Status, CommunicationRestrictions } = household;
  const { modifiedAtMs } = household;
  const times = { createdAtMs: modifiedAtMs, modifiedAtMs, modifiedBy: 'Example Staff User' };
  return {
    Id: id,
    AccountNumber: 1_000_000 + id,
    Type: 'Household',
    Status,
    FullName: name,
    SortName: name,
    HeadId: headId,
    MemberIds: memberIds,
    CommunicationRestrictions,
    AuditTrail: auditTrail(variant, times),
    IsFavorite: false,
    EngagementScore: 'Low',
  };
}

export function fieldBody(field: CustomField): object {
  return {
    Id: field.id,
    CategoryId: 1,
    Name: field.name,
    IsRequired: field.isRequired,
    IsActive: field.isActive,
    DataType: field.dataType,
    PickType: field.pickType,
    SortIndex: field.id,
  };
}

export function valueBody({ id, fieldId, value, isActive }: CustomValue): object {
  return { Id: id, FieldId: fieldId, Value: value, IsActive: isActive };
}

/** Formats a time in whole seconds. The text always ends in Z, even if the time is in a different zone. */
export function shownTime(atMs: number, { zoneMinutes }: Variant): string {
  const local = new Date(atMs + zoneMinutes * 60_000).toISOString();
  return `${local.slice(0, 19)}Z`;
}

function auditTrail(
  variant: Variant,
  times: { createdAtMs: number; modifiedAtMs: number; modifiedBy: string },
): object {
  return {
    CreatedDate: shownTime(times.createdAtMs, variant),
    CreatedName: 'Example Staff User',
    LastModifiedDate: shownTime(times.modifiedAtMs, variant),
    LastModifiedName: times.modifiedBy,
  };
}

function withBlanks({ blanks }: Variant, body: Readonly<Record<string, unknown>>): object {
  if (blanks === 'null') return body;
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
}
