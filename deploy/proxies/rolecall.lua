-- Asks Rolecall about a request, for apache.conf. Replace the address and the host name.
local http, ltn12 = require "socket.http", require "ltn12"
local service, host = "http://127.0.0.1:3000", "wiki.example.org"
http.TIMEOUT = 3

function check(r)
  local inn, out, body = r.headers_in, r.err_headers_out, {}
  -- Proxies remove the headers that a client lists here, even those of Rolecall.
  for word in (inn["Connection"] or ""):lower():gmatch("[^,%s]+") do
    if word ~= "close" and word ~= "keep-alive" and word ~= "upgrade" then return 400 end
  end
  -- Removes headers with which a client could claim to be a member. CGI reads every character after "Remote" as "_".
  for name in pairs(r:headers_in_table()) do
    if name:lower():find("^remote[^%w]") then inn[name] = nil end
  end
  local ok, status, got = http.request {
    url = service .. "/api/forward-auth?redirect=true",
    redirect = false,
    sink = ltn12.sink.table(body),
    headers = {
      ["Connection"] = "close", ["Cookie"] = inn["Cookie"], ["Accept"] = inn["Accept"],
      ["Sec-Fetch-Mode"] = inn["Sec-Fetch-Mode"], ["Sec-Fetch-Dest"] = inn["Sec-Fetch-Dest"],
      ["X-Forwarded-Proto"] = "https", ["X-Forwarded-Host"] = host, ["X-Forwarded-Uri"] = r.unparsed_uri,
      ["X-Forwarded-Method"] = r.method, ["X-Forwarded-For"] = r.useragent_ip
    }
  }
  if ok and status == 200 then
    for name, value in pairs(got) do
      if name:find("^remote%-") and value ~= "" then inn[name] = value end
    end
    return apache2.OK
  end
  -- Refuses the request if Rolecall is down or does not respond in time.
  if not ok or (status ~= 302 and status ~= 401 and status ~= 403) then return 503 end
  out["Location"], out["Cache-Control"] = got["location"], "no-store"
  if status == 302 then return 302 end
  r.status, r.content_type = status, got["content-type"]
  r:write(table.concat(body))
  return apache2.DONE
end
