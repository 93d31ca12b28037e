-- Asks Rolecall about a request, for haproxy.cfg. Replace the address.
local service = "http://127.0.0.1:3000"
local asked = {
  "cookie", "accept", "sec-fetch-mode", "sec-fetch-dest", "x-forwarded-proto", "x-forwarded-host",
  "x-forwarded-uri", "x-forwarded-method", "x-forwarded-for"
}
local told = { "remote-user", "remote-member-id", "remote-name", "remote-email", "remote-groups", "remote-role-ids" }

-- Joins the values of a header, which HAProxy numbers from 0. With HTTP/2, each cookie can be in a separate header.
local function joined(values)
  local all = {}
  for at = 0, #values do all[#all + 1] = values[at] end
  return table.concat(all, "; ")
end

-- Hides the session cookie of this host from the application.
local function hide_cookie(http, cookie)
  local kept = {}
  for pair in cookie:gmatch("[^;]+") do
    if not pair:find("^%s*__Host%-rolecall[-%d]*=") then kept[#kept + 1] = pair end
  end
  http:req_del_header("cookie")
  if #kept > 0 then http:req_set_header("cookie", table.concat(kept, ";")) end
end

local function refuse(txn, answer)
  local status = answer.status
  -- Refuses the request if Rolecall is down or does not respond in time.
  if status ~= 302 and status ~= 401 and status ~= 403 then
    return txn:done(txn:reply{ status = 503, headers = { ["retry-after"] = { "2" } } })
  end
  local reply = txn:reply{ status = status }
  for _, name in ipairs{ "location", "cache-control", "content-type" } do
    if answer.headers[name] then reply:add_header(name, answer.headers[name][0]) end
  end
  reply:set_body(answer.body or "")
  txn:done(reply)
end

core.register_action("rolecall", { "http-req" }, function(txn)
  local received, headers = txn.http:req_get_headers(), {}
  for _, name in ipairs(asked) do
    if received[name] then headers[name] = { joined(received[name]) } end
  end
  local answer = core.httpclient():get{
    url = service .. "/api/forward-auth?redirect=true", headers = headers, timeout = 3000
  }
  if answer.status ~= 200 then return refuse(txn, answer) end
  for _, name in ipairs(told) do
    txn.http:req_set_header(name, answer.headers[name] and answer.headers[name][0] or "")
  end
  if received["cookie"] then hide_cookie(txn.http, headers["cookie"][1]) end
  txn:set_var("txn.rolecall_lets_in", true)
end)
