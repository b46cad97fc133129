"""Uses the sandbox for HubSpot with HubSpot's official client for Python, one line for each step.

`check.ts` starts the sandbox and gives its address and keys as JSON on stdin.
"""

import json
import sys
from datetime import datetime

import hubspot
from hubspot.crm import contacts, lists, properties
from hubspot.crm.associations import v4

world = json.load(sys.stdin)
client = hubspot.Client.create(access_token=world["token"], host=world["baseUrl"])
crm = client.crm
made = {}


def same(is_value, expected):
    if is_value != expected:
        raise AssertionError(f"{is_value!r} instead of {expected!r}")


def list_contacts():
    page = crm.contacts.basic_api.get_page(limit=100, properties=["firstname", "company"])
    same(len(page.results), 100)
    same(isinstance(page.results[0].created_at, datetime), True)
    same(set(page.results[0].properties) >= {"firstname", "company", "hs_object_id"}, True)
    made["ids"] = [contact.id for contact in page.results]


def list_all_contacts():
    same(len({contact.id for contact in crm.contacts.get_all()}), world["contacts"])


def edit_contact():
    api = crm.contacts.basic_api
    values = {"firstname": "Ada", "lastname": "Byron", "email": "ada@example.org"}
    created = api.create(contacts.SimplePublicObjectInputForCreate(properties=values, associations=[]))
    change = contacts.SimplePublicObjectInput(properties={"lastname": "Lovelace"})
    api.update(created.id, change)
    same(api.get_by_id("ada@example.org", id_property="email").properties["lastname"], "Lovelace")
    api.archive(created.id)
    same(refused_with(lambda: api.get_by_id(created.id), contacts.ApiException), 404)


def batches():
    api = crm.contacts.batch_api
    first, second = made["ids"][:2]
    inputs = [
        contacts.SimplePublicObjectBatchInput(id=id, properties={"jobtitle": "Mayor"})
        for id in (first, second)
    ]
    same(api.update(contacts.BatchInputSimplePublicObjectBatchInput(inputs=inputs)).status, "COMPLETE")
    asked = contacts.BatchReadInputSimplePublicObjectId(
        inputs=[contacts.SimplePublicObjectId(id=id) for id in (first, second, "1")],
        properties=["jobtitle"],
        properties_with_history=[],
    )
    read = api.read(asked)
    same({one.id: one.properties["jobtitle"] for one in read.results}, {first: "Mayor", second: "Mayor"})
    same(read.num_errors, 1)


def search():
    filters = [contacts.Filter(property_name="jobtitle", operator="EQ", value="Mayor")]
    groups = [contacts.FilterGroup(filters=filters)]
    asked = contacts.PublicObjectSearchRequest(filter_groups=groups, limit=1, properties=["jobtitle"])
    found = crm.contacts.search_api.do_search(asked)
    same((found.total, len(found.results)), (2, 1))
    asked.after = found.paging.next.after
    same(len(crm.contacts.search_api.do_search(asked).results), 1)


def search_by_what_is_not_there():
    filters = [contacts.Filter(property_name="nope", operator="EQ", value="x")]
    asked = contacts.PublicObjectSearchRequest(filter_groups=[contacts.FilterGroup(filters=filters)])
    same(refused_with(lambda: crm.contacts.search_api.do_search(asked), contacts.ApiException), 400)


def make_properties():
    group = properties.PropertyGroupCreate(name="wealth", label="Wealth", display_order=-1)
    crm.properties.groups_api.create("contacts", group)
    worth = properties.PropertyCreate(
        name="net_worth", label="Net worth", type="number", field_type="number", group_name="wealth"
    )
    crm.properties.core_api.create("contacts", worth)
    band = properties.PropertyCreate(
        name="band",
        label="Band",
        type="enumeration",
        field_type="select",
        group_name="wealth",
        options=[properties.OptionInput(label="High", value="high", hidden=False, display_order=0)],
    )
    crm.properties.batch_api.create("contacts", properties.BatchInputPropertyCreate(inputs=[band]))
    crm.properties.core_api.update("contacts", "net_worth", properties.PropertyUpdate(label="Worth"))
    names = {one.name: one.label for one in crm.properties.core_api.get_all("contacts").results}
    same((names["net_worth"], names["band"]), ("Worth", "Band"))
    same("wealth" in [one.name for one in crm.properties.groups_api.get_all("contacts").results], True)
    crm.properties.core_api.archive("contacts", "band")


def make_list():
    asked = lists.ListCreateRequest(name="Volunteers", object_type_id="0-1", processing_type="MANUAL")
    id = crm.lists.lists_api.create(asked).list.list_id
    members = made["ids"][:2]
    same(crm.lists.memberships_api.add(id, members).records_ids_added, members)
    page = crm.lists.memberships_api.get_page(id)
    same([one.record_id for one in page.results], members)
    named = crm.lists.lists_api.get_by_name("Volunteers", "0-1").list
    same(named.list_id, id)
    found = crm.lists.lists_api.do_search(lists.ListSearchRequest(query="volun", offset=0, additional_properties=[]))
    same([one.list_id for one in found.lists], [id])
    crm.lists.lists_api.remove(id)


def associated_companies():
    ids = [v4.PublicFetchAssociationsBatchRequest(id=id) for id in made["ids"]]
    asked = v4.BatchInputPublicFetchAssociationsBatchRequest(inputs=ids)
    answer = crm.associations.v4.batch_api.get_page("contacts", "companies", asked)
    same(len(answer.results) > 0, True)
    company = answer.results[0].to[0].to_object_id
    same(isinstance(crm.companies.basic_api.get_by_id(str(company)).properties["name"], str), True)


def owners():
    same(len(crm.owners.owners_api.get_page().results) > 0, True)


def refused_with(ask, kind):
    try:
        ask()
    except kind as error:
        return error.status
    return None


STEPS = [
    ("contacts.basic_api.get_page", list_contacts),
    ("contacts.get_all", list_all_contacts),
    ("contacts.basic_api.create, update, get_by_id, archive", edit_contact),
    ("contacts.batch_api.update, read", batches),
    ("contacts.search_api.do_search, paged", search),
    ("contacts.search_api.do_search, refused", search_by_what_is_not_there),
    ("properties.groups_api, core_api, batch_api", make_properties),
    ("lists.lists_api, memberships_api", make_list),
    ("associations.v4.batch_api, companies.basic_api", associated_companies),
    ("owners.owners_api.get_page", owners),
]

failures = 0
for name, step in STEPS:
    try:
        step()
        print(f"ok      {name}")
    except Exception as error:  # Each step is reported, whatever went wrong.
        failures += 1
        print(f"failed  {name}: {type(error).__name__} {error}")
sys.exit(1 if failures > 0 else 0)
