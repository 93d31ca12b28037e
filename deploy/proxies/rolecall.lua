-- Asks Rolecall about a request, for apache.conf. Replace the address and the host name.
local http, ltn12 = require "socket.http", require "ltn12"
local service, host = "http://127.0.0.1:3000", "wiki.example.org"
http.TIMEOUT = 3

function check(r)
  local inn, out, body = r.headers_in, r.err_headers_out, {}
  -- A header that a client lists here is taken away on the way on, also one of ours.
  for word in (inn["Connection"] or ""):lower():gmatch("[^,%s]+") do
    if word ~= "close" and word ~= "keep-alive" and word ~= "upgrade" then return 400 end
  end
  -- Only Rolecall says who asks. Applications read any sign after "Remote" as "-": CGI turns all of them into "_".
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
  -- Rolecall is down, or does not answer in time: nobody is let in.
  if not ok or (status ~= 302 and status ~= 401 and status ~= 403) then return 503 end
  out["Location"], out["Cache-Control"] = got["location"], "no-store"
  if status == 302 then return 302 end
  r.status, r.content_type = status, got["content-type"]
  r:write(table.concat(body))
  return apache2.DONE
end
